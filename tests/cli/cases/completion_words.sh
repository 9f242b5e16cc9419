# What completions offer of a file: tables, fields, records and their fields, step by step; nothing
# and no message for what is no save.
in=$FIXTURES/v0.10
words() {
  echo "> $*" | sed "s#$in/##; s#$FIXTURES#fixtures#"
  hdbinspect completion words -- "$@" 2>&1
}
words dump "$in/before.hdb" -t m
words dump "$in/before.hdb" --table=c
words dump "$in/before.hdb" -f hp,po
words get "$in/before.hdb" ''
words get "$in/before.hdb" monsters:1
words get "$in/before.hdb" monsters:1@1 monsters:2@1.p
words get "$in/before.hdb" weapons:0@1.
words set "$in/before.hdb" monsters:1@1.pos.
words plot "$in/before.hdb" mon
words get "$in/every_field.hdb" things:0@1.t
words dump "$in/every_field.hdb" -f we
words dump "$in/every_field.hdb" -f ei
words dump "$in/every_field.hdb" -f tiny,we
words get "$in/every_field.hdb" things:0@1.ei
words set "$in/every_field.hdb" things:0@1.ma
words get -v --color never "$in/layouts.hdb" ''
words archive ''
words archive put a.hdba ''
for world in gate 'a b' keep '$(x)'; do
  hdbinspect -q archive put saves.hdba "$in/before.hdb" --world "$world"
done
hdbinspect -q archive put saves.hdba "$in/after.hdb" --world gate --number 12
words archive get saves.hdba@
words archive get saves.hdba@g
words diff "$in/before.hdb" saves.hdba@gate/
words archive thin saves.hdba --world ''
words archive get saves.hdba --world=k
words archive get nothing.hdba@
words info "$in/before.hdb@"
words diff a.hdb b.hdb ''
words repair a.hdb ''
words sql a.hdb ''
words get "$in/before.hdb" monstres:
words get "$in/before.hdb" monsters:4294967296
words get "$in/before.hdb" 0x
words get missing.hdb m
words get /dev/null m
words get - m
words get "$FIXTURES" m
echo bad >bad.hdb
words get bad.hdb m
cp "$in/before.hdb" damaged.hdb
hit damaged.hdb "$(block damaged.hdb "group 0") + 80"
words get damaged.hdb monsters:
words get damaged.hdb m
mkdir saves home
HOME=$PWD/home
cp "$in/before.hdb" home/slot.hdb
cp "$in/before.hdb" saves/slot.hdb
words blame saves mon
words get "~/slot.hdb" mon
