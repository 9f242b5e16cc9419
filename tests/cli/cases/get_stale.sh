hdbinspect get "$FIXTURES/v0/after.hdb" monsters:7@1 2>&1
hdbinspect get "$FIXTURES/v0/after.hdb" monsters:99@1 2>&1
hdbinspect get "$FIXTURES/v0/after.hdb" monster:1@1 2>&1
hdbinspect get "$FIXTURES/v0/after.hdb" monsters:1@1.pos.w 2>&1
hdbinspect get "$FIXTURES/v0/after.hdb" rubbish 2>&1
hdbinspect get "$FIXTURES/v0/after.hdb" monsters:0@1 monsters:1@1.hp
