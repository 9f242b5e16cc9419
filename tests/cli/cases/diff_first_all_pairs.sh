# --first looks at every pair whose state hashes differ: states that differ for one frame only, and
# the options that say what a difference is.
mkdir host client
for frame in 1 2 3 4 5 6 7 8; do
  cp "$FIXTURES/v0/before.hdb" "host/$frame.hdb"
  cp "$FIXTURES/v0/before.hdb" "client/$frame.hdb"
done
cp "$FIXTURES/v0/after.hdb" client/3.hdb
hdbinspect diff --first --summary host client; echo "[$?]"
hdbinspect --json diff --first --summary host client | head -1
echo "--- equal but for what is ignored"
hdbinspect diff --first host client --ignore clock --ignore monsters; echo "[$?]"
hdbinspect diff --first host client -t weapons; echo "[$?]"
hdbinspect diff --first --summary host client -t clock; echo "[$?]"
hdbinspect --json diff --first host client -t weapons; echo "[$?]"
echo "--- all pairs"
hdbinspect --verify diff --first host client -t weapons; echo "[$?]"
cp host/3.hdb client/3.hdb
hdbinspect diff --first host client; echo "[$?]"
echo "--- a damaged pair on the way"
hit client/2.hdb 20
hdbinspect diff --first host client 2>&1; echo "[$?]"
