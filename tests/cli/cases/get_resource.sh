hdbinspect get "$FIXTURES/v0/resources.hdb" textures:0@1
hdbinspect get "$FIXTURES/v0/resources.hdb" sounds:1@1
