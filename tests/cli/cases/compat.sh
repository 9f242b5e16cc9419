# Every verdict, and what becomes of the exit status.
try() {
  status=0
  hdbinspect compat "$@" 2>&1 || status=$?
  echo "status $status"
}
cd "$FIXTURES/v0"
try before.hdb after.hdb
try before.hdb later_version.hdb
try later_version.hdb before.hdb
try --allow-loss later_version.hdb before.hdb
try -q --allow-loss later_version.hdb before.hdb
try before.hdb retyped.hdb
try retyped.hdb before.hdb
try --allow-loss -q before.hdb retyped.hdb
try before.hdb odd_names.hdb
try before.hdb three_tables.hdb
