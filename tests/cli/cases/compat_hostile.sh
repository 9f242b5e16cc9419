# Text that is no document: one message with what to do, exit status 2.
try() {
  echo "--- $1"
  status=0
  hdbinspect compat "$1" old.json 2>&1 || status=$?
  echo "status $status"
}
hdbinspect schema --format=json "$FIXTURES/v0/before.hdb" >old.json
: >empty.json
echo 'no JSON' >text.json
head -c 300 old.json >cut.json
{
  printf '{"type":"schemas","v":1,"tables":'
  head -c 1000 /dev/zero | tr '\0' '['
} >deep.json
sed 's/"name":"hp"/"name":"name"/' old.json >twins.json
long=$(head -c 65536 /dev/zero | tr '\0' n)
echo "s/\"table\":\"clock\"/\"table\":\"$long\"/" >script
sed -f script old.json >long_table.json
echo "s/\"name\":\"hp\"/\"name\":\"$long\"/" >script
sed -f script old.json >long_field.json
sed 's/"name":"hp"/"name":""/' old.json >no_name.json
sed 's/"name":"x"/"name":""/' old.json >no_inner_name.json
hdbinspect schema --json "$FIXTURES/v0/before.hdb" | head -1 >lines.json
for file in empty text cut deep twins long_table long_field no_name no_inner_name lines missing; do
  try $file.json
done
try "$FIXTURES/v0/invalid/newer_version.hdb"
try .
