# The same state, whatever the codec; never over the input, nor over a file that is there.
cp "$FIXTURES/v0/three_tables.hdb" in.hdb
hdbinspect convert in.hdb -o none.hdb --codec none
hdbinspect convert none.hdb -o again.hdb --level 1
hdbinspect diff in.hdb again.hdb
hdbinspect diff in.hdb none.hdb | tail -2
hdbinspect -q validate --level=deep none.hdb again.hdb && echo sound
hdbinspect convert --estimate in.hdb --level 19
ln -s in.hdb link.hdb
ln in.hdb hard.hdb
for out in in.hdb ./in.hdb link.hdb hard.hdb none.hdb no/such/folder.hdb -; do
  hdbinspect convert in.hdb -o "$out" 2>&1
  echo "status $?"
done
hdbinspect convert in.hdb -o none.hdb --force
hdbinspect convert in.hdb 2>&1
echo "status $?"
head -c 3000 in.hdb > cut.hdb
hdbinspect convert cut.hdb -o new.hdb 2>&1
echo "status $?"
ls
