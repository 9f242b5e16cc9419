# What an error advises does not lead to the next error.
cp "$FIXTURES/v0.10/before.hdb" before.hdb
cp "$FIXTURES/v0.10/after.hdb" after.hdb
try() {
  echo "--- $*"
  hdbinspect "$@" 2>&1
  echo "status $?"
}
try archive put a.hdba before.hdb --number 0
try archive put a.hdba before.hdb --number 18446744073709551615
try archive put a.hdba before.hdb --number 99999999999999999999
try archive thin a.hdba --keep-last 0
try log --leaks --grew 0 .
try watch -n 99999999999999999999 .
ls
try archive put -q a.hdba before.hdb --number 9223372036854775807
try archive put a.hdba after.hdb --number 9223372036854775807
try archive put a.hdba before.hdb after.hdb --world 'w/x y'
echo "--- the highest number of a save in its metadata"
one_record '{"kind":"struct","children":[]}' '{}' |
  sed 's/"sequence":1/"sequence":"18446744073709551615"/' | hdbinspect -q import - -o high.hdb
try archive put a.hdba high.hdb
echo "--- an archive of which nothing can be read"
head -c 3000 a.hdba >cut.hdba
head -c 8000 /dev/zero >zero.hdba
try archive repair cut.hdba new.hdba
try archive repair zero.hdba new.hdba
try info - - <before.hdb | tail -3
