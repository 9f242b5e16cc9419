# Other saves that cannot be used, and outputs that are one of them.
exec 2>&1
cp "$FIXTURES/v0/after.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb "monsters > group 0") + 1000"
cp "$FIXTURES/v0/before.hdb" before.hdb
mkdir saves
cp before.hdb saves
mkfifo fifo
attempt() {
  hdbinspect repair damaged.hdb "$@"
  echo "status $?"
}
attempt -o out.hdb --from missing.hdb
attempt -o out.hdb --from fifo
attempt -o out.hdb --from "$FIXTURES/v0/invalid"
attempt -o out.hdb --from "$FIXTURES/invalid/newer_version.hdb"
attempt -o before.hdb --force --from before.hdb
attempt -o saves/before.hdb --force --from saves
attempt --dry-run --lost before.hdb --force --from before.hdb
attempt --dry-run --from -
attempt --dry-run --from ''
cmp before.hdb "$FIXTURES/v0/before.hdb" && ls
echo "--- both copies of the catalog are damaged"
cp before.hdb lost.hdb
hit lost.hdb "$(block lost.hdb "catalog ") + 90" "$(block lost.hdb "catalog (part 1)") + 90"
attempt --dry-run --from lost.hdb
attempt --dry-run --from lost.hdb --from before.hdb
