# An archive whose end is cut off: SQLite opens none of it, and no command says that nothing is
# lost.
exec 2>&1
hdbinspect archive put -q whole.hdba "$FIXTURES"/v0.10/series/*.hdb
head -c 14600 whole.hdba >cut.hdba
try() {
  echo "--- $*"
  status=0
  hdbinspect "$@" >out 2>&1 || status=$?
  grep -v '^#' out | sed 's/look for.*/.../'
  echo "status $status"
}
try archive list cut.hdba
try archive list --json cut.hdba
try archive repair cut.hdba new.hdba
try archive copy --json cut.hdba other.hdba
try archive metrics cut.hdba
try archive thin --keep-last 1 --dry-run cut.hdba
try archive share cut.hdba
try log cut.hdba
try validate cut.hdba@latest
try archive verify cut.hdba
echo "=== one save of which the manifest is damaged, after the title in its row"
hdbinspect archive put -q one.hdba "$FIXTURES"/v0.10/series/*.hdb
hit one.hdba "$(grep -abo 'Moment 3' one.hdba | tail -1 | cut -d: -f1)"
try log one.hdba
