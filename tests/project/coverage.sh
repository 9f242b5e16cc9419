#!/usr/bin/env bash
# Runs the tests of a build of preset `coverage`, and requires that they reach 95 % of the lines of
# the decoder: what turns bytes of a file into tables and records.
# Usage: tests/project/coverage.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?usage: tests/project/coverage.sh BUILD_FOLDER}
least=95
programs=(format/hdb_tests_format record/hdb_tests_record inspect/hdb_tests_inspect)
decoder=(lib/src/format/read lib/src/format/frame lib/src/format/columns
  lib/src/record/decode_archive.cpp lib/src/record/column_copy.cpp lib/src/record/copy_runs.cpp
  lib/src/record/numbers.cpp lib/src/record/enum_map.cpp lib/src/record/runtime_decode.cpp)
profiles=$build/profiles
rm -rf "$profiles"
mkdir -p "$profiles"
objects=()
for program in "${programs[@]}"; do
  name=$(basename "$program")
  LLVM_PROFILE_FILE=$profiles/$name.raw "$build/tests/$program" --gtest_brief=1 \
    >"$profiles/$name.log" 2>&1 || { tail -20 "$profiles/$name.log"; exit 1; }
  objects+=(${objects:+-object} "$build/tests/$program")
done
llvm-profdata-14 merge -sparse "$profiles"/*.raw -o "$profiles/all"
llvm-cov-14 export -format=lcov -instr-profile="$profiles/all" "${objects[@]}" "${decoder[@]}" \
  >"$profiles/lcov"
# One line for each file, the numbers of its lines that no test reaches, and the sum.
awk -F'[:,]' -v least="$least" '
  /^SF:/ { file = $2; sub(/.*\/lib\/src\//, "lib/src/", file); missed = ""; lines = hit = 0 }
  /^DA:/ { ++lines; if ($3 > 0) ++hit; else missed = missed " " $2 }
  /^end_of_record/ && lines {
    printf "%-44s %4d of %4d lines%s\n", file, hit, lines, missed ? "; not" missed : ""
    all += lines; reached += hit
  }
  END {
    if (!all) { print "coverage: no line of the decoder was found"; exit 1 }
    share = 100 * reached / all
    failures = share < least
    printf "G11 lines of the decoder (%.1f %% reached): cases=%d failures=%d\n",
      share, all, failures
    exit failures
  }' "$profiles/lcov"
