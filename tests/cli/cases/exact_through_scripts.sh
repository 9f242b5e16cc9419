# Scripts that only parse and print again keep an exact dump: integers of 64 bits, NaN, infinities
# and -0 are strings.
file=$FIXTURES/v0/every_field.hdb
hdbinspect dump --exact "$file" >dump.ndjson
grep -o '"y":[^,]*,"z":"Infinity"' dump.ndjson | sort -u
echo "--- a reader whose numbers are integers, or doubles where they have a fraction"
python3 -c 'import json, sys
for line in sys.stdin: print(json.dumps(json.loads(line)))' <dump.ndjson >python.ndjson
hdbinspect -q import python.ndjson -o python.hdb &&
  hdbinspect -q diff "$file" python.hdb && echo equal
echo "--- a reader whose numbers are doubles"
python3 -c 'import json, sys
def number(text):
    value = float(text)
    return int(value) if value == int(value) else value
for line in sys.stdin: print(json.dumps(json.loads(line, parse_int=number)))' \
  <dump.ndjson >doubles.ndjson
hdbinspect -q import doubles.ndjson -o doubles.hdb &&
  hdbinspect -q diff "$file" doubles.hdb && echo equal
echo "--- the number -0 is read too"
sed 's/"y":"-0"/"y":-0/' dump.ndjson >numbers.ndjson
hdbinspect -q import numbers.ndjson -o numbers.hdb &&
  hdbinspect -q diff "$file" numbers.hdb && echo equal
