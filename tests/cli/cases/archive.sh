# An archive: saves in, any of them out again, by any command; what is removed is freed.
cp "$FIXTURES/v0/before.hdb" before.hdb
cp "$FIXTURES/v0/after.hdb" after.hdb
hdbinspect archive put saves.hdba before.hdb after.hdb --world gate
hdbinspect archive put saves.hdba after.hdb --world gate
hdbinspect archive put saves.hdba after.hdb --world cave --number 7
hdbinspect archive list saves.hdba
hdbinspect archive list saves.hdba@cave
hdbinspect archive get saves.hdba@gate/1 -o out.hdb
hdbinspect diff before.hdb out.hdb && echo equal
hdbinspect diff saves.hdba@gate/1 saves.hdba@gate/latest | tail -1
hdbinspect info saves.hdba@cave | head -2
hdbinspect ls saves.hdba@gate/2
hdbinspect get saves.hdba@gate/2 monsters:1@1.name
hdbinspect -q validate --level=deep saves.hdba@gate saves.hdba@cave/7 && echo sound
hdbinspect archive share saves.hdba@gate | head -2
hdbinspect archive verify saves.hdba
hdbinspect archive remove saves.hdba@gate/1
hdbinspect archive gc saves.hdba --dry-run
hdbinspect archive gc saves.hdba
hdbinspect archive list saves.hdba
hdbinspect archive verify saves.hdba
ls saves.hdba*
