# What covers a byte: header, head, index, column, free list, directory, footer; offsets as decimal
# or hexadecimal.
for offset in 7 70 0xf8 0x368 0x6e0 0x6f0 0x72a 0x748 0xad8 0xbe0 3060 3164; do
  hdbinspect explain "$FIXTURES/v0/before.hdb" $offset 2>&1
done
file=$FIXTURES/v0/layouts.hdb
for offset in 10 100; do hdbinspect explain "$file" $(($(block "$file" "pack of") + offset)); done
hdbinspect explain "$FIXTURES/v0/before.hdb" 9999999 2>&1 || echo "status $?"
hdbinspect explain "$FIXTURES/v0/before.hdb" 12x 2>&1 || echo "status $?"
