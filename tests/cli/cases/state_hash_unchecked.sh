# A file whose stored state hash is wrong: nothing copies the hash or calls the content sound.
wrong=$FIXTURES/invalid/state_hash_mismatch.hdb
try() { hdbinspect "$@" 2>&1 | sed 's/[0-9a-f]\{32\}/HASH/g'; }
try convert "$wrong" -o out.hdb
try convert --estimate "$wrong"
try archive put saves.hdba "$wrong"
try repair --dry-run "$wrong"
try report "$wrong" -o page.html | sed 's/, [0-9.]* KiB$/, SIZE/'
try info "$wrong" | grep 'state hash'
hdbinspect dump --exact "$wrong" >dump.ndjson
try import dump.ndjson -o new.hdb | sed 's/is [0-9]* bytes/is SIZE/'
try -q diff "$wrong" new.hdb
ls
