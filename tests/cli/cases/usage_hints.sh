# Mistakes whose cause is not a missing argument: negative numbers, unknown options before the
# command, upper case.
try() { hdbinspect "$@" 2>&1; echo "status $?"; }
try diff -n -3 a b
try dump --limit=-1 x
try validate --max-errors=-1 x
try -x info
try info -dash.hdb
try INFO x
try validate --level=Ful x
try explain bad_slot
try diff - -
