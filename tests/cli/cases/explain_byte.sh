# What covers a byte: header, head, index, column, free list, directory, footer; offsets as decimal
# or hexadecimal.
for offset in 7 70 0x100 0x440 0x700 0x710 0x7ff 0x870 0xc80 0x0d90 3500 3600; do
  hdbinspect explain "$FIXTURES/v0/before.hdb" $offset 2>&1
done
hdbinspect explain "$FIXTURES/v0/before.hdb" 9999999 2>&1 || echo "status $?"
hdbinspect explain "$FIXTURES/v0/before.hdb" 12x 2>&1 || echo "status $?"
