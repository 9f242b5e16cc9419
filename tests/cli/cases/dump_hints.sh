# Unknown fields: the error names the wrong part, the nearest field, and where to look. A table that
# is named twice is printed once.
file=$FIXTURES/v0/after.hdb
hdbinspect dump "$file" -f poss 2>&1
hdbinspect dump "$file" -t monsters -t monsters -f hp -f tick 2>&1
hdbinspect dump "$file" -f hp -f tick 2>&1
hdbinspect dump "$file" -t weapons -t weapons
hdbinspect schema "$file" -t weapons -t weapons
