# Global options may appear before and after the command; -- ends options.
hdbinspect --json explain 231
hdbinspect explain --json 231
hdbinspect explain -- 231
cp "$FIXTURES/v0/empty.hdb" ./-odd.hdb
hdbinspect ls -- -odd.hdb && echo listed
