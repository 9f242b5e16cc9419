#!/usr/bin/env bash
# Shows that the tests can fail: applies each patch of this folder to a copy of the sources, builds,
# and requires that the test named in the patch turns red. A patch starts with two lines:
#   # test: <executable> <GoogleTest filter>
#   # breaks: <the law or promise>
# Usage: tests/mutants/run.sh [--check] [NAME...]
#   --check   only check that every patch applies and names a test that exists
set -euo pipefail
cd "$(dirname "$0")/../.."
here=tests/mutants
if [ "${1-}" = --check ]; then
  count=0
  for patch_file in "$here"/*.patch; do
    count=$((count + 1))
    patch --dry-run -f -s -p1 <"$patch_file" >/dev/null ||
      { echo "$patch_file does not apply; make the patch again from the present code"; exit 1; }
    read -r _ _ program filter < <(head -1 "$patch_file")
    suite=${filter%%[.:*]*}  # the first that the filter names
    suite=${suite##*/}
    { [ -n "$filter" ] && grep -rqw "$program" tests/*/CMakeLists.txt &&
      grep -rq "(.*$suite" tests --include=*.cpp; } ||
      {
        echo "$patch_file: its first line must name a test that exists: # test: PROGRAM FILTER"
        exit 1
      }
  done
  echo "mutants: $count apply"
  exit 0
fi
copy=build/mutants/source
tree=build/mutants/build
mkdir -p build/mutants
# Copies only what changed, so that the build of one mutant serves the next.
sync_sources() {
  mkdir -p "$copy"
  local file
  { git ls-files; git ls-files --others --exclude-standard; } | sort -u | while read -r file; do
    [ -f "$file" ] || continue
    cmp -s "$file" "$copy/$file" && continue
    mkdir -p "$copy/$(dirname "$file")"
    cp "$file" "$copy/$file"
  done
}
sync_sources
cmake -S "$copy" -B "$tree" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 \
  -DHDB_QUICK_TESTS=ON -DHDB_BUILD_BENCHMARKS=OFF >build/mutants/configure.log 2>&1 ||
  { cat build/mutants/configure.log; exit 1; }

names=("$@")
[ $# -gt 0 ] || names=($(cd "$here" && ls ./*.patch | sed 's,^\./,,; s,\.patch$,,'))
killed=0
survived=0
broken=0
for name in "${names[@]}"; do
  patch_file=$here/$name.patch
  read -r program filter < <(sed -n 's/^# test: //p' "$patch_file")
  sync_sources
  patch -s -p1 -d "$copy" <"$patch_file" ||
    {
      echo "mutant $name: the patch does not apply; make it again from the present code"
      broken=$((broken + 1)); continue
    }
  if ! cmake --build "$tree" --target "$program" >build/mutants/"$name".log 2>&1; then
    echo "mutant $name: does not build; see build/mutants/$name.log"
    broken=$((broken + 1)); continue
  fi
  executable=$(find "$tree" -name "$program" -type f -perm -u+x | head -1)
  status=0
  timeout 300 "$executable" --gtest_filter="$filter" --gtest_brief=1 \
    >build/mutants/"$name".out 2>&1 || status=$?
  if [ "$status" = 0 ]; then
    echo "mutant $name: SURVIVED $program $filter"; survived=$((survived + 1))
  elif [ "$status" -ge 128 ] || grep -q "FAILED\|hdb: " build/mutants/"$name".out; then
    echo "mutant $name: killed by $filter"; killed=$((killed + 1))
  else
    echo "mutant $name: $program ended without reporting a failed test;" \
      "see build/mutants/$name.out"
    survived=$((survived + 1))
  fi
done
sync_sources
echo "mutants: $killed killed, $survived survived, $broken broken"
[ $((survived + broken)) = 0 ]
