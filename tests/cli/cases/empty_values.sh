# An empty value is a variable of a script that is not set: refused, for every option and argument.
cp "$FIXTURES/v0/before.hdb" a.hdb
try() { hdbinspect "$@" 2>&1; echo "[$?]"; }
try archive put saves.hdba a.hdb --world ''
try archive put saves.hdba ''
try dump a.hdb -t ''
try dump a.hdb -f ''
try dump a.hdb -w ''
try diff a.hdb a.hdb --ignore ''
try diff a.hdb a.hdb --abs ''
try diff a.hdb a.hdb -n ''
try schema a.hdb --format=
try get a.hdb ''
try get a.hdb monsters:1@1 -t ''
try grep a.hdb ''
try log a.hdb ''
try info ''
try info a.hdb --max-memory ''
try explain ''
try help ''
try ''
ls
