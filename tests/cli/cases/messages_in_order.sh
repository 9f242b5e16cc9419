# What is printed before a message stands before it.
hdbinspect ls missing.hdb "$FIXTURES/v0/empty.hdb" missing.hdb "$FIXTURES/v0/empty.hdb" 2>&1
