# A sound header of a later format version: status 3 wins over nothing but trouble.
hdbinspect validate "$FIXTURES/v0/before.hdb" nowhere.hdb 2>&1
