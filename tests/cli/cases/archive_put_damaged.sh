# A damaged file on its way into an archive: the error names the file, and the advice is about it.
cp "$FIXTURES/v0/before.hdb" good.hdb
cp good.hdb bad.hdb
hit bad.hdb 1790
try() { hdbinspect "$@" 2>&1; echo "[$?]"; }
try archive put saves.hdba bad.hdb good.hdb
try archive put saves.hdba "$FIXTURES/invalid/raw_hash_mismatch.hdb"
try archive put saves.hdba "$FIXTURES/invalid/bad_value.hdb"
try archive put saves.hdba "$FIXTURES/invalid/state_hash_mismatch.hdb"
try archive list saves.hdba
try archive verify saves.hdba
