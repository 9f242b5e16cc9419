hdbinspect get --refs "$FIXTURES/v0/every_field.hdb" things:0@1.self things:1@1.self
hdbinspect --json get --refs "$FIXTURES/v0/every_field.hdb" things:0@1.self
