# Of saves whose columns do not differ only heads and directories are read.
for i in 1 2 3 4 5 6 7 8 9; do
  cp "$FIXTURES/v0/every_field.hdb" "save-$i.hdb"
done
read_by() { hdbinspect --json log "$@" things:0@1 | sed -n 's/.*"bytes_read":\([0-9]*\).*/\1/p'; }
one=$(read_by save-1.hdb)
two=$(read_by save-1.hdb save-2.hdb)
nine=$(read_by save-?.hdb)
test $((nine - two)) -eq $((7 * (two - one))) && echo "every further save costs the same"
test $((two - one)) -lt "$one" && echo "and less than the first one"
verified=$(read_by --verify save-?.hdb)
test "$verified" -gt "$nine" && echo "--verify reads more"
