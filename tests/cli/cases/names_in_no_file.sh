# A table or field that is in no file is trouble (2) with a suggestion, in every command; one that
# some of several files have is fine.
a=$FIXTURES/v0/before.hdb
b=$FIXTURES/v0/after.hdb
cp -r "$FIXTURES/v0/series" saves
mkdir host client
cp "$a" host/1.hdb
cp "$a" client/1.hdb
try() { hdbinspect "$@" 2>&1; echo "[$?]"; }
try get "$a" monster:0@1
try get "$a" monsters:0@1.hpp
try get "$a" monsters:0@9.hpp
try get "$a" 0x100000001 -t weapon
try dump "$a" -t monster
try dump "$a" -f hpp
try dump "$a" -w 'hpp < 3'
try dump "$a" -w 'weapon == weapon:1@1'
try schema "$a" -t monster
try diff "$a" "$b" -t monster
try diff "$a" "$b" --ignore 'monster.hp'
try diff "$a" "$b" --ignore 'monsters.lot[3]'
try diff "$a" "$b" --abs 'monsters.hpp=1'
try diff "$a" "$b" --rel 'monsters.hpp=1'
try diff "$a" "$b" -w 'hpp < 3'
try diff --first host client -t monster
try grep saves 'hpp < 0'
try grep saves -t monsters -t monster 'hp < -100'
try bisect saves 'hpp < 0'
try bisect saves -t monster 'hp < 0'
try log saves monster:0@1
try log saves monsters:0@1.hpp
try blame saves monsters:0@1.hpp
try plot saves monsters:0@1.hpp -o page.html
try explain bad_slot
echo "--- not found, though the names are right"
try get "$a" monsters:0@9
try get "$a" 'monsters:1@1.loot[9]'
try log saves monsters:0@9
try grep saves 'hp < -100'
echo "--- in some of the files"
try diff "$a" "$b" --ignore 'monsters.loot[3]' --summary -q
cp "$FIXTURES/v0/resources.hdb" saves
try -q grep saves 'width == 64 and @slot == 0'
try -q grep saves -t monsters -t textures 'hp < 0'
try schema "$a" "$FIXTURES/v0/resources.hdb" -t textures
try schema "$a" "$b" -t textures
