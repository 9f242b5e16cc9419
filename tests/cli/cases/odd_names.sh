# Names are escaped once: as \u{...} in text, as JSON escapes in JSON. Commands to type have them in
# quotes.
file=$FIXTURES/v0/odd_names.hdb
hdbinspect ls "$file"
hdbinspect dump "$file"
hdbinspect info --blocks "$file" | tail -n 4
hdbinspect get "$file" "=x 'y':0@2" "=x 'y':0@1.w" 2>&1
hdbinspect diff -t "=x 'y'" "$file" "$FIXTURES/v0/before.hdb"
cp "$file" damaged.hdb
at=$(hdbinspect info --blocks --json "$file" |
  sed -n 's/.*"offset":\([0-9]*\),"bytes":\([0-9]*\),"block":"rows".*/\1 \2/p' | sed -n 2p)
printf XXXXXXXX | dd of=damaged.hdb bs=1 seek=$((${at% *} + ${at#* } - 20)) conv=notrunc 2>/dev/null
hdbinspect validate damaged.hdb
hdbinspect validate --json damaged.hdb
