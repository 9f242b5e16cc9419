# No command writes a file that it reads: not by another name, not the archive of a save, not a
# file of options, not a redirected standard input.
series=$FIXTURES/v0.10/series
hdbinspect archive put -q whole.hdba "$series"/auto-1.hdb "$series"/auto-2.hdb
cp whole.hdba x.hdba
cp "$series/auto-1.hdb" a.hdb
cp "$series/auto-2.hdb" b.hdb
cp a.hdb a.kept
cp b.hdb b.kept
ln -s x.hdba link
ln -s a.hdb to_a
refuses() { # refuses COMMAND...: it must change neither the archive nor the saves
  status=0
  hdbinspect "$@" >out 2>err </dev/null || status=$?
  echo "$*: exit $status: $(sed -n '1s/^[^:]*: //p' err | cut -c1-76)"
  cmp -s whole.hdba x.hdba || { echo "  the archive has changed" && cp whole.hdba x.hdba; }
  cmp -s a.kept a.hdb || { echo "  a.hdb has changed" && cp a.kept a.hdb; }
  cmp -s b.kept b.hdb || { echo "  b.hdb has changed" && cp b.kept b.hdb; }
}
save=x.hdba@world/8
for out in x.hdba link; do
  refuses archive get $save -o $out --force
  refuses convert $save -o $out --force
  refuses set $save 'monsters[*].hp=3' -o $out --force
  refuses export $save -o $out --force
  refuses report $save -o $out --force
  refuses report a.hdb $save -o $out --force
  refuses open $save -o $out --force
  refuses open x.hdba -o $out --force
  refuses diff $save x.hdba@world/7 --format=html -o $out --force
  refuses plot x.hdba '*' -o $out --force
  refuses plot x.hdba@world '*' -o $out --force
  refuses info $save --thumbnail $out --force
  refuses repair $save -o $out --force
  refuses repair $save -o f.hdb --lost $out --force
  refuses repair a.hdb --from x.hdba@world -o $out --force
done
refuses convert $save -o x.hdba-wal --force
refuses convert a.hdb --schema b.hdb -o b.hdb --force
refuses convert a.hdb --schema $save -o x.hdba --force
refuses convert a.hdb --schema b.hdb -o to_a --force
refuses diff --first --format=html . . -o a.hdb --force
hdbinspect convert - -o a.hdb --force <a.hdb 2>err
echo "standard input: exit $?: $(sed -n '1s/^[^:]*: //p' err | cut -c1-76)"
cmp a.kept a.hdb
# Another file beside them is written.
hdbinspect archive get $save -o c.hdb --force | sed 's/;.*//'
