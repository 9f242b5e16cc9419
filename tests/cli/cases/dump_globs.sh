# Globs of tables and fields; a glob that fits nothing, and one that is none.
file=$FIXTURES/v0/after.hdb
hdbinspect dump "$file" -t '{weapons,clock}' -f '*' --limit 4
hdbinspect dump "$file" -t 'm*' -f '**.x' -f 'na?e' --limit 2
hdbinspect schema "$file" -t '[cw]*'
hdbinspect dump "$file" -t 'x*' 2>&1
hdbinspect dump "$file" -t 'x[' 2>&1
hdbinspect dump "$file" -t monsters -f 'poss.*' 2>&1
hdbinspect dump "$file" -t monsters -f 'pos..x' 2>&1
