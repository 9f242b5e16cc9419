# A lost texture that walls hold: --refs=keep.
cp "$FIXTURES/v0/resources.hdb" damaged.hdb
printf X | dd of=damaged.hdb bs=1 seek=6448 conv=notrunc 2>/dev/null
hdbinspect repair damaged.hdb -o out.hdb --refs=keep --lost lost.ndjson
echo "status $?"
cat lost.ndjson
hdbinspect validate --level=deep out.hdb
echo "status $?"
hdbinspect dump out.hdb -t walls
