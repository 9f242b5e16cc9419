mkdir empty host
cp "$FIXTURES/v0/before.hdb" host/a.hdb
hdbinspect diff --first host empty 2>&1
echo "[$?]"
hdbinspect diff --first host missing 2>&1
echo "[$?]"
hdbinspect diff --first host/a.hdb host 2>&1
echo "[$?]"
hdbinspect diff --first host 2>&1
echo "[$?]"
# A damaged save on the way is trouble, not a difference.
mkdir client
head -c 100 host/a.hdb > client/a.hdb
hdbinspect diff --first host client 2>&1
