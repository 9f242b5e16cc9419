# A record of a save without its table does not exist there: it is erased in the first save without
# the table, and born in the first that has it.
exec 2>&1
mkdir saves
number=0
for name in three_tables before three_tables three_tables before before three_tables; do
  number=$((number + 1))
  hdbinspect dump --exact "$FIXTURES/v0.10/$name.hdb" |
    sed "s/\"sequence\":[0-9]*/\"sequence\":$number/" >lines
  hdbinspect import -q lines -o "saves/$number.hdb"
done
hdbinspect log saves heroes:1.name
hdbinspect log saves heroes:1@1.name
hdbinspect log saves heroes:0
hdbinspect log --json saves heroes:1.name | sed 's/"bytes_read.*//'
mkdir later
mv saves/1.hdb later
hdbinspect log saves heroes:1.name
rm saves/7.hdb
hdbinspect blame saves heroes:1.name
hdbinspect plot saves heroes:1.name -o p.html | sed 's/, [^,]*KiB//'
