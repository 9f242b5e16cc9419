# The picture of a save, as a file.
in=$FIXTURES/v0.10/three_tables.hdb
hdbinspect info "$in" --thumbnail out.png 2>&1 | sed "s#$FIXTURES/##"
hdbinspect dump --exact "$in" | sed -n 's/.*"exact_thumbnail".*"hex":"\([0-9a-f]*\)".*/\1/p' >known
od -An -v -tx1 out.png | tr -d ' \n' | sed 's/$/\n/' | cmp - known && echo same bytes
# Refused: a file that is there, the input, several saves, a save without a picture.
hdbinspect -q info "$in" --thumbnail out.png 2>&1 | tail -2
hdbinspect info -q "$in" --thumbnail out.png --force >/dev/null
echo "status $?"
cp "$in" in.hdb
hdbinspect info in.hdb --thumbnail in.hdb --force 2>&1 | tail -2
hdbinspect info in.hdb in.hdb --thumbnail two.png 2>&1
cp "$FIXTURES/v0.10/before.hdb" before.hdb
hdbinspect info before.hdb --thumbnail none.png 2>&1 >/dev/null
hdbinspect -q info before.hdb --thumbnail none.png >/dev/null 2>&1
echo "status $?"
ls
