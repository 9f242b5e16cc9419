# Handles of 16, 32 and 64 bits: how tables, fields and values show, how they are asked for, dumped
# and imported.
file=$FIXTURES/v0/layouts.hdb
hdbinspect ls "$file"
hdbinspect schema "$file" -t holders
hdbinspect get "$file" holders:0@1 holders:1@1
hdbinspect get "$file" holders:3@1
echo "by raw bits, of 16 and of 64 bits"
hdbinspect get "$file" -t once 0x10
hdbinspect get "$file" 0x9c40000200000000
hdbinspect get "$file" -t far 0x10100000000 2>&1
echo "filters"
hdbinspect dump "$file" -t holders -w 'tiny == tiny:1@1' -f tiny -f far
hdbinspect dump "$file" -t holders -w 'far == 0x10100000000' -f tiny -f far
hdbinspect dump "$file" -t holders -w 'room == attic:0@1' -f room
hdbinspect dump "$file" -t holders -w 'once == 0x8010' -f once
hdbinspect dump "$file" -t holders -w 'once == 0x18010' 2>&1
hdbinspect dump "$file" -t holders -w 'once == once:16@1' 2>&1
hdbinspect dump "$file" -t holders -w 'far == far:4294967296@1' 2>&1
hdbinspect dump "$file" -t holders -w 'door == attic:0@1' 2>&1
echo "as text and back"
hdbinspect dump --exact "$file" >dump.jsonl
grep '"table":"holders","slot":3' dump.jsonl
hdbinspect import dump.jsonl -o again.hdb --expect-same && hdbinspect diff "$file" again.hdb &&
  echo equal
