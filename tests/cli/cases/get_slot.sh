# A name without generation, or with a stale one: what the slot holds now.
cp "$FIXTURES/v0/after.hdb" "my save.hdb"
hdbinspect get "my save.hdb" monsters:7 monsters:7.pos.x monsters:0@1.hp monsters:99 monsters:8 2>&1
