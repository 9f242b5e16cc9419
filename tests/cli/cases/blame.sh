cp -r "$FIXTURES/v0/series" saves
hdbinspect blame saves monsters:0@1
echo "--- some fields"
hdbinspect blame saves 'monsters:0@1.pos.*'
echo "--- a record that is gone"
hdbinspect blame saves monsters:2@1
echo "--- the last record of a slot"
hdbinspect blame saves monsters:1
echo "--- JSON"
hdbinspect --json blame saves monsters:2@1.target | sed 's/"bytes_read":[0-9]*/"bytes_read":N/'
