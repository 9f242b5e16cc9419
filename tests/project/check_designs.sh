#!/bin/sh
# Checks that every row of lib/docs/designs.md has a test named after it.
#   check_designs.sh BUILD_FOLDER
set -eu
build=$1
rows=$(sed -n 's/^| \([ABCDEN][0-9][0-9]*\) |.*/\1/p' "$(dirname "$0")/../../lib/docs/designs.md")
# Not in the build folder, where it would overwrite the log of the ctest that runs this.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "subdirs(\"$build\")" >"$folder/CTestTestfile.cmake"
names=$(ctest --test-dir "$folder" -N)
count=0
missing=0
for row in $rows; do
  count=$((count + 1))
  echo "$names" | grep -q "[./]${row}_" ||
    { echo "designs: no test is named after $row"; missing=$((missing + 1)); }
done
[ "$count" = 51 ] || { echo "designs: $count rows instead of 51"; missing=$((missing + 1)); }
echo "designs: cases=$count failures=$missing"
[ "$missing" = 0 ]
