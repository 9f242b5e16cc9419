# A lost texture that walls hold: --refs=null.
cp "$FIXTURES/v0/resources.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb "textures > group 0") + 536"
hdbinspect repair damaged.hdb -o out.hdb --refs=null --drop-damaged --lost lost.ndjson
echo "status $?"
cat lost.ndjson
hdbinspect validate --level=deep out.hdb
echo "status $?"
hdbinspect dump out.hdb -t walls
