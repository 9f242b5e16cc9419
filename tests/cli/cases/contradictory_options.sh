# Options that contradict each other are refused; none is passed over without a word.
exec 2>&1
in=$FIXTURES/v0.10/before.hdb
hdbinspect archive put -q a.hdba "$in"
hdbinspect dump --exact "$in" >in.ndjson
try() {
  echo "--- $*"
  status=0
  hdbinspect "$@" >out 2>&1 || status=$?
  sed "s|$FIXTURES/||g" out | head -3 | cut -c1-90
  echo "status $status"
}
try dump --json --format=csv -t monsters "$in"
try --json dump --format=csv -t monsters "$in"
try dump --json --format=json --limit 0 "$in"
try sql --json --format=json "$in" "select 1"
try sql --json --format=csv "$in" "select 1"
try sql --json --format=ndjson "$in" "select 1"
try schema --json --format=json "$in"
try convert "$in" --codec none --level 5 -o out.hdb
try convert "$in" --codec none --estimate
try convert "$in" --codec zstd --level 5 --estimate
try set "$in" monsters:1@1.hp=1 --codec none --level 1 -o out.hdb
try import in.ndjson --codec none --level 5 -o out.hdb
try archive get a.hdba@latest --codec none --level 5 -o out.hdb
try archive put a.hdba --codec none "$in"
try archive put -q b.hdba --level 5 "$in"
try archive list a.hdba --level 5
ls
echo "--- --limit 0 prints nothing"
try dump --limit 0 "$in"
try grep --limit 0 "$in" 'hp > 0'
try grep --limit 1 "$in" 'hp > 0'
try grep --limit 0 "$in" 'hp > 1e9'
