# Generations start at 1: a handle with generation 0 names no record, also not whichever is in the
# slot, in any command.
exec 2>&1
in=$FIXTURES/v0.10/before.hdb
try() {
  echo "--- $*"
  hdbinspect "$@" | sed "s#$FIXTURES/##g"
}
try get "$in" monsters:1@0
try get "$in" monsters:1@0.hp
try get "$in" monsters:1@00.hp
try get --refs "$in" monsters:1@0
try set "$in" monsters:1@0.hp=7 -o out.hdb
try set "$in" monsters:1@1.target=monsters:2@0 -o out.hdb
try log "$in" monsters:1@0
try blame "$in" monsters:1@0
try plot "$in" monsters:1@0.hp -o out.html
try dump "$in" -w 'target == monsters:1@0'
try dump "$in" -w '@handle == monsters:1@0'
try bisect "$in" 'monsters:1@0.hp < 0'
try get "$FIXTURES/v0.10/components.hdb" entities:1@0.Position
ls
