# Any fault of the lines or of the output is reported with its place, and no file exists afterwards.
hdbinspect dump --exact "$FIXTURES/v0/after.hdb" >good.ndjson
refused() {
  hdbinspect import "$1" -o out.hdb 2>&1
  echo "status $?"
  rm -f out.hdb
}
edited() {  # edited SED-SCRIPT
  sed "$1" good.ndjson >bad.ndjson
  refused bad.ndjson
}
edited '$d'
edited '5,$d'
edited '/exact_free_list/d'
edited 's/"hp":85/"hp":85.5/'
edited 's/"hp":85/"hp":"much"/'
edited 's/"hp":85/"hp":-0/'
edited 's/"hp":85/"hp":85,"mana":3/'
edited 's/"hp":85/"hpp":75/'
edited 's/"weapons:0@1"/"monsters:0@1"/'
edited 's/"weapons:0@1"/"weapon:0@1"/'
edited 's/"state":"free"/"state":"retired"/'
edited 's/"generation":1/"generation":99/'
edited 's/"position":0/"position":1/'
edited 's/"live":/"dead":/'
edited 's/"v":1/"v":2/'
edited 's/"kind":"i32"/"kind":"i64"/'
edited '$s/$/\n{}/'
edited '3s/.$//'
edited 's/"title":"[^"]*"/"title":"\x1b[31m"/'
printf '{"type":"exact","v":1,"metadata":"\033[31m"}\n' | hdbinspect import - -o out.hdb 2>&1
: >empty.ndjson
refused empty.ndjson
refused missing.ndjson
refused "$FIXTURES/v0/after.hdb"
hdbinspect dump "$FIXTURES/v0/after.hdb" >plain.ndjson
refused plain.ndjson
hdbinspect import good.ndjson 2>&1
echo "status $?"
hdbinspect import good.ndjson -o good.ndjson --force 2>&1
echo "status $?"
echo old >old.hdb
hdbinspect import good.ndjson -o old.hdb 2>&1
echo "status $?"
hdbinspect import bad.ndjson -o old.hdb --force 2>&1
cat old.hdb
ls
TMPDIR=$PWD/no/such hdbinspect import good.ndjson -o out.hdb 2>&1
echo "status $?"
