# A comparison that is true for no value is refused, and the message says why.
all=$FIXTURES/v0/every_field.hdb
try() { echo "$1: $(hdbinspect dump "$all" -w "$1" -f flag 2>&1 | sed 's/.*-w: //;q')"; }
try 'real == nan'
try 'real < nan'
try 'real != nan'
try 'real in {1, nan}'
try 'small == nan'
try 'small is nan'
try 'text is not nan'
try 'utiny < 0'
try '0 > utiny'
try 'utiny == 256'
try 'utiny in {1, 300}'
try 'utiny >= 256'
try 'tiny < -128'
try 'tiny > 127'
try 'large > 9223372036854775808'
try 'ularge < -0.5'
try 'small == 1.5'
try 'real == 16777217'
try 'real == 1e300'
try 'real > inf'
try 'precise == 9007199254740993'
try 'letter == 300'
try 'either == 3'
try '@slot < 0'
try '@gen == 0'
try 'size(text) < 0'
try 'size(triple) != 3'
try 'triple[3] == 1'
try 'self == 0x10000000000000000'
try 'small == null'
try 'text is null'
try 'flag == 1'
try 'text < 3'
echo "--- what may be true"
for filter in 'real is nan' 'not real is nan' 'real is not nan' 'maybe == null' 'tiny >= -128' \
  'utiny > 7.5' 'real < 1e300' 'real == inf' 'either in {0, 1}' 'pos.z == inf' 'real != real'; do
  echo "$filter: $(hdbinspect dump "$all" -w "$filter" --count | tr '\n' ' ')"
done
echo "--- in several saves"
hdbinspect grep "$FIXTURES/v0/series" 'hp == 0.5' 2>&1; echo "[$?]"
hdbinspect bisect "$FIXTURES/v0/series" 'hp == nan' 2>&1; echo "[$?]"
hdbinspect diff "$all" "$all" -w 'utiny < 0' 2>&1; echo "[$?]"
