# Files that could not be checked: neither valid nor invalid. Names are strings, whatever their
# bytes are.
name=$(printf 'caf\351.hdb')
cp "$FIXTURES/v0/empty.hdb" "$name"
hdbinspect validate --json missing.hdb "$FIXTURES/v0/invalid/newer_version.hdb" "$name" 2>/dev/null
