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
words get -v --color never "$in/layouts.hdb" ''
words archive ''
words archive put a.hdba ''
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
