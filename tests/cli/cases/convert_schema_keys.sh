# Keys that get another order by the conversion: maps and sets are sorted as the game saves them.
record() { # record LOW HIGH: the numbers of two enumerators
  printf '{"kind":"struct","children":['
  printf '{"name":"ranks","kind":"map","children":[{"kind":"enum","values":['
  printf '{"name":"low","number":%s},{"name":"high","number":%s}' "$1" "$2"
  printf '],"children":[{"kind":"u8"}]},{"kind":"i32"}]},'
  printf '{"name":"codes","kind":"list","children":[{"kind":"i32"}]}]}'
}
fields='{"ranks":[{"key":1,"value":10},{"key":2,"value":20}],"codes":[3,-1,2]}'
one_record "$(record 1 2)" "$fields" | hdbinspect -q import - -o old.hdb
convert() { # convert NAME LOW HIGH RULE: the rule of codes for equal elements
  echo "--- $1"
  echo '{"type":"schemas","v":1,"tables":[{"table":"guilds",'"$guilds_policy"',"keys":[' \
    '{"field":"ranks","rule":"distinct"},{"field":"codes","rule":"'"$4"'"}],' \
    '"record":'"$(record "$2" "$3")"'}]}' >new.json
  hdbinspect -q convert old.hdb --schema new.json -o "$1.hdb"
  hdbinspect dump "$1.hdb"
}
convert same 1 2 repeat
convert turned 9 4 repeat
convert set 9 4 distinct
convert compared 9 4 compared
echo "--- in the schemas of a save"
hdbinspect -q convert old.hdb --schema turned.hdb -o save.hdb
hdbinspect -q diff turned.hdb save.hdb && echo equal
