# The history commands over a world of an archive.
for n in 1 2 3 4 5; do hdbinspect -q archive put saves.hdba "$FIXTURES/v0/series/auto-$n.hdb"; done
hdbinspect log saves.hdba monsters:0@1.hp
hdbinspect blame saves.hdba@world monsters:0@1
hdbinspect bisect saves.hdba 'hp < 50'
hdbinspect grep saves.hdba@world/3 'hp < 50'
echo "--- the same as over the files"
mkdir files
for n in 1 2 3 4 5; do cp "$FIXTURES/v0/series/auto-$n.hdb" files; done
hdbinspect log files monsters:0@1 --json | grep -v log_summary | sed 's/"save":"[^"]*"//' >a
hdbinspect log saves.hdba monsters:0@1 --json | grep -v log_summary | sed 's/"save":"[^"]*"//' >b
cmp a b && echo equal
echo "--- what cannot be"
hdbinspect log saves.hdba@cave monsters:0@1
echo "[$?]"
hdbinspect -q archive put saves.hdba "$FIXTURES/v0/before.hdb" --world other
hdbinspect log saves.hdba monsters:0@1
