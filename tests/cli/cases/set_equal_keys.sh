# An edit that makes keys of a map or elements of a list equal is made, with a remark: a file does
# not say whether the game has a std::map or a std::multimap there. An edit of the layout that does
# not fit is a fault of the edit, not of the file.
exec 2>&1
in=$FIXTURES/v0.10/every_field.hdb
edit() {
  echo "--- $*"
  if hdbinspect set "$@" -o out.hdb >said; then mv out.hdb last.hdb; fi
  grep -v 'state hash' said
}
hdbinspect get "$in" things:1@1.skills
edit "$in" 'things:1@1.skills=[{"key":"a","value":1},{"key":"b","value":2}]'
edit "$in" 'things:1@1.skills=[{"key":"a","value":1},{"key":"a","value":2}]'
edit last.hdb 'things:1@1.skills[0].value=7'
edit "$in" 'things:1@1.weights=[1, 2]'
edit "$in" 'things:1@1.weights=[0, 1, "-0"]'
edit last.hdb 'things:1@1.weights=[5, 5]'
edit "$in" 'things:1@1.weights=["NaN", "NaN"]'
edit -q "$in" 'things:1@1.skills=[{"key":"a","value":1},{"key":"a","value":2}]'
for edit in 'sounds[*].@offset=4' 'sounds[*].@offset=0' 'sounds[*].@offset=1099511627776'; do
  edit "$FIXTURES/v0.10/all_kinds.hdb" "$edit"
done
ls
