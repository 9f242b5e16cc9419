# Component tables: how they show, how components are asked for, compared, dumped and repaired.
file=$FIXTURES/v0/components.hdb
later=$FIXTURES/v0/components_later.hdb
hdbinspect info "$file"
hdbinspect ls "$file"
hdbinspect ls --json "$file" | sed -n 2p
hdbinspect schema "$file" -t Health
echo "a record with its components, and parts of it"
hdbinspect get "$file" entities:2@1
hdbinspect get --json "$file" entities:2@1
hdbinspect get "$file" entities:2@1.Position entities:2@1.Position.x Position:2@1.x
hdbinspect get "$file" entities:2.Label.text 2>&1
hdbinspect get --refs "$file" entities:3@1.Health 2>&1
hdbinspect get "$file" entities:2@1.Health.hp 2>&1
hdbinspect get "$file" entities:2@1.Nothing 2>&1
hdbinspect get "$file" entities:2@2.Position 2>&1
hdbinspect get --refs "$file" entities:3@1
echo "records"
hdbinspect dump "$file" -t Health
hdbinspect dump "$file" -t Use --format=csv
echo "differences"
hdbinspect diff "$file" "$later"
hdbinspect diff --json "$file" "$later" | grep Label
hdbinspect validate --level=deep "$file" "$later"
echo "as text and back"
for each in "$file" "$later"; do
  hdbinspect dump --exact "$each" >dump.jsonl
  hdbinspect import dump.jsonl -o again.hdb --expect-same && hdbinspect diff "$each" again.hdb
done
grep '"table":"Health"' dump.jsonl
sed '/"table":"Label","slot":2,/s/"generation":1/"generation":2/' dump.jsonl >wrong.jsonl
hdbinspect import wrong.jsonl -o wrong.hdb 2>&1
hdbinspect convert "$file" packed.hdb && hdbinspect diff "$file" packed.hdb
echo "damage"
cp "$file" damaged.hdb
entities=$(block "$file" "table entities")
hit damaged.hdb "$entities + 220" "$entities + 240"
hdbinspect repair damaged.hdb -o repaired.hdb --lost=lost.jsonl
cat lost.jsonl
hdbinspect validate --level=deep repaired.hdb
hdbinspect ls repaired.hdb
cp "$file" damaged.hdb
hit damaged.hdb "$(block "$file" "free list") + 140"
hdbinspect repair damaged.hdb -o repaired.hdb
hdbinspect validate --level=deep repaired.hdb
