# Backslashes, control characters and what looks like an option in the names of files: they are
# shown so that nothing steers the terminal, and what is advised does what it says in a shell.
newline='new
line.hdb'
escape=$(printf 'red\033[31m.hdb')
for name in 'back\slash.hdb' "$newline" "$escape" "it's.hdb" '-v.hdb'; do
  cp "$FIXTURES/v0/before.hdb" "./$name"
  hit "./$name" 1790
  hdbinspect dump "./$name" 2>&1 >/dev/null | tee advice
  command=$(sed -n 's/^  next    .*\(hdbinspect repair .*\)/\1/p' advice)
  bash -c "$command" >/dev/null 2>&1
  test -f "./${name%.hdb}.fixed.hdb" && echo repaired
  hdbinspect validate -q "./${name%.hdb}.fixed.hdb" && echo sound
done
