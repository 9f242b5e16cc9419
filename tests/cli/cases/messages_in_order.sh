# Output that is printed before a message appears before the message.
hdbinspect ls missing.hdb "$FIXTURES/v0/empty.hdb" missing.hdb "$FIXTURES/v0/empty.hdb" 2>&1
