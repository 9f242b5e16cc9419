# Mistyped names, what is not SQL, and what would write: what is wrong, where, and what to type.
in=$FIXTURES/v0.10/before.hdb
try() {
  hdbinspect "$@" 2>&1
  echo "[$?]"
}
try sql "$in" 'select hpp from monsters'
try sql "$in" 'select "hpp" from monsters'
try sql "$in" 'select m.pos.x from monsters m'
try sql "$in" 'select hp from monster'
try sql "$in" 'select value from monsters.loot'
try sql "$in" 'selct hp from monsters'
try sql "$in" 'select hp from monsters where'
try sql "$in" 'select 1; select 2'
try sql "$in" 'select 1; -- and no more'
try sql "$in" '/* nothing */'
try sql "$in" ''
try sql "$in"
for query in 'delete from monsters' 'create table t(a)' "attach 'made.db' as other" \
  "vacuum into 'made.db'" 'pragma writable_schema = on' 'begin' \
  "select load_extension('made.so')" "select * from pragma_table_info('monsters')"; do
  try sql "$in" "$query"
done
try sql "$in" 'select zeroblob(2000000000)'
try --max-memory=32M sql "$in" 'with recursive n(x) as
  (select zeroblob(1000000) union all select zeroblob(1000000) from n limit 100)
  select length(group_concat(hex(x))) from n'
try sql missing.hdb 'select 1'
ls
