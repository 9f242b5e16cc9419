# Equal state hashes say nothing of tables that are not hashed: --first compares them only with
# --verify, and says so. Its text and its exit status agree, whichever pair is the last.
mkdir A B
cp "$FIXTURES/v0.10/all_kinds.hdb" A/f.hdb
hdbinspect set -q A/f.hdb 'sparks[*].brightness=-555' -o B/f.hdb
compare() {
  echo "--- $*"
  hdbinspect diff --first A B "$@" 2>&1
  echo "[$?]"
}
compare
compare -q
compare --json
compare -t sparks
compare -t textures
compare --summary --verify
cp A/f.hdb A/g.hdb
cp A/f.hdb B/g.hdb
compare
compare --summary --verify
