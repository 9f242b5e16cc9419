# Names are escaped once: as \u{...} in text, as JSON escapes in JSON. Commands to type have them in
# quotes.
file=$FIXTURES/v0/odd_names.hdb
hdbinspect ls "$file"
hdbinspect dump "$file"
hdbinspect info --blocks "$file" | tail -n 4
hdbinspect get "$file" "=x 'y':0@2" "=x 'y':0@1.w" 2>&1
hdbinspect diff -t "=x 'y'" "$file" "$FIXTURES/v0/before.hdb"
cp "$file" damaged.hdb
hit damaged.hdb "$(block "$file" "pack of") + 80"
hdbinspect validate damaged.hdb
hdbinspect validate --json damaged.hdb
