# Twelve frames; the tenth is the first that differs. A frame that only one side has is reported and
# skipped.
mkdir host client
for frame in 1 2 3 4 5 6 7 8 9 10 11 12; do
  cp "$FIXTURES/v0/before.hdb" "host/frame_$frame.hdb"
  if [ "$frame" -lt 10 ]; then
    cp "$FIXTURES/v0/before.hdb" "client/frame_$frame.hdb"
  else
    cp "$FIXTURES/v0/after.hdb" "client/frame_$frame.hdb"
  fi
done
cp "$FIXTURES/v0/after.hdb" host/frame_13.hdb
hdbinspect diff --first -n 1 host client 2>&1
echo "[$?]"
hdbinspect diff --first --summary --verify host client 2>/dev/null
echo "[$?]"
rm client/frame_1[012].hdb
hdbinspect -q diff --first host client
echo "[$?]"
hdbinspect diff --first host client 2>/dev/null
