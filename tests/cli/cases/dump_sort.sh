# dump --sort: rising, falling, ties, values that are missing or NaN, and what has no order.
monsters=$FIXTURES/v0/after.hdb
things=$FIXTURES/v0/every_field.hdb
show() { hdbinspect dump "$@" 2>&1 | sed 's/.*"handle":"\([^"]*\)".*"fields":/\1 /'; }
show "$monsters" -t monsters --sort=-hp,name -f hp,name --limit 4
show "$monsters" -t monsters --sort name,-pos.x -f name,pos.x
show "$monsters" --sort hp -f hp -w 'hp < 90' --limit 2
show "$things" --sort real -f real,maybe
show "$things" --sort=-maybe,-real -f real,maybe
show "$things" --sort 'weights[1]' -f weights
show "$things" --sort=-tiny --limit 0
hdbinspect dump "$monsters" --sort=-hp -f hp -t monsters --format=csv --limit 2
hdbinspect dump "$monsters" --sort=-hp -f hp -t monsters --format=json --limit 2
for sort in hpp 'hp,' target loot 'loot[]' - name; do
  hdbinspect dump "$monsters" --sort="$sort" 2>&1
done
hdbinspect dump "$monsters" -t monsters --sort hp --count 2>&1
# Through handles, also null and stale ones; sizes; slots.
save=$FIXTURES/v0/series/auto-6.hdb
show "$save" -t monsters --sort=target.hp,-@slot -f target
show "$save" -t monsters --sort='-size(name),@gen' -f name
for sort in target.hpp target 'hp < 3' 'size(hp)' '3' target.target.target.target.target.hp; do
  hdbinspect dump "$save" -t monsters --sort="$sort" 2>&1 | head -1
done
