# A list of losses that is longer than --max-lost ends with a line that counts the rest.
cp "$FIXTURES/v0/resources.hdb" damaged.hdb
salvage() { hdbinspect repair damaged.hdb --dry-run --drop-damaged "$@"; }
hit damaged.hdb "$(block damaged.hdb "textures > group 0") + 536"
salvage --lost all.ndjson >all.txt
wc -l <all.ndjson
whole=$(wc -c <all.ndjson)
salvage --lost lost.ndjson --max-lost "$whole" >lost.txt
cmp all.ndjson lost.ndjson && cmp all.txt lost.txt && echo "just enough: no line more"
for most in "$((whole - 1))" 300 0; do
  salvage --lost lost.ndjson --max-lost "$most" --force | tail -1
  wc -l <lost.ndjson
  tail -1 lost.ndjson
done
salvage --json --lost lost.ndjson --max-lost 300 --force | tail -1
hdbinspect repair damaged.hdb --dry-run --max-lost many 2>&1
echo "status $?"
hdbinspect repair damaged.hdb --dry-run --max-lost 1M 2>&1
echo "status $?"
