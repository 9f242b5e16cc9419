# Filters: fields, literals of every kind, paths into structures, lists, variants and maps; only
# records that fit are printed.
file=$FIXTURES/v0/every_field.hdb
show() {
  printf '%s: ' "$1"
  hdbinspect dump "$file" -w "$1" -f flag | sed 's/.*"handle":"\([^"]*\)".*/\1/' | tr '\n' ' '
  echo
}
show '@slot >= 1'
show '@slot in {0, 0x2} and @gen == 1'
show 'large == -9223372036854775808'
show 'ularge > 18446744073709551614'
show 'ularge >= 18446744073709551616.0'
show 'real == 0.1'
show 'real != real'
show 'real is null or mood == 0'
show 'self is null'
show 'self == things:0@1 and not owned is null'
show 'self == 0x100000000'
show 'letter == "h" and wide == 233'
show 'text ~ "tab*"'
show "text == ''"
show 'triple[0] == 1 and triple[2] == 3'
show 'weights[*] > 1e19'
show 'weights[7] != 0'
show 'size(weights) == 0'
show 'weapons[*].name == "bow" and weapons[1].damage == 3.5'
show 'maybe is null'
show 'maybe < 0'
show 'either == 2'
show 'either<1> == "text"'
show 'either<2>.z == 9'
show 'skills[*].key ~ "{aim,jump}" and skills[*].value < 0'
show 'skills["aim"] > 2 and not skills["aim"] > 3'
show 'skills["none"] != 3'
show 'skills["none"] is null and skills["aim"] is not null'
show 'text ~* "TAB*"'
show 'flag'
show 'not flag'
hdbinspect dump "$FIXTURES/v0/after.hdb" -w 'hp < 1000 and (pos.x > 24 or @gen > 1)' -f hp \
  -f 'pos.{x,z}' --limit 3
hdbinspect dump "$FIXTURES/v0/resources.hdb" -t textures -w '@name ~ "*" and @slot < 2'
