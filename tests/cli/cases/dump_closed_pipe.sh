# A reader that goes away ends the dump quietly.
i=0
while [ $i -lt 20 ]; do set -- "$@" ; i=$((i + 1)); done
{ hdbinspect dump "$FIXTURES/v0/three_tables.hdb" -t zones; echo "status $?" >&2; } 2>status |
  head -c 60
echo
cat status
