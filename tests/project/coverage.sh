#!/usr/bin/env bash
# Runs the tests of a build of preset `coverage`, and requires that they reach 95 % of the lines of
# the decoder: what turns bytes of a file into tables and records.
# Usage: tests/project/coverage.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:?usage: tests/project/coverage.sh BUILD_FOLDER}
least=95
programs=(format record inspect database kept c)
decoder=(lib/src/format/read/ lib/src/format/frame/ lib/src/format/columns/
  lib/src/record/decode_archive.cpp lib/src/record/decode_errors.cpp lib/src/record/column_copy.cpp
  lib/src/record/copy_runs.cpp lib/src/evolve/numbers.cpp lib/src/evolve/enum_map.cpp
  lib/src/record/runtime_decode.cpp)
profiles=$build/profiles
rm -rf "$profiles"
mkdir -p "$profiles"
# Each program has a profile of its own, for functions of the same name differ between programs.
measure() { # measure PROGRAM
  local program=$build/tests/$1/hdb_tests_$1 profile=$profiles/$1 objects
  # A shared library counts by itself, hence %m.
  LLVM_PROFILE_FILE=$profile.%m.raw "$program" --gtest_brief=1 >"$profile.log" 2>&1 ||
    { tail -20 "$profile.log"; return 1; }
  objects=("$program")
  [ "$1" != c ] || objects+=(-object "$(find "$build/lib" -name libhdb_c.so)")
  llvm-profdata-14 merge -sparse "$profile".*.raw -o "$profile.profile"
  llvm-cov-14 export -format=lcov -instr-profile="$profile.profile" "${objects[@]}" \
    >"$profile.lcov" 2>"$profile.warnings"
}
export -f measure
export build profiles
printf '%s\n' "${programs[@]}" | xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'measure {}'
# One line for each file, the numbers of its lines that no test reaches, and the sum.
awk -F'[:,]' -v least="$least" -v decoder="${decoder[*]}" '
  BEGIN { count = split(decoder, wanted, " ") }
  /^SF:/ {
    file = $2
    sub(/.*\/lib\/src\//, "lib/src/", file)
    counts = 0
    for (i = 1; i <= count; ++i) if (index(file, wanted[i]) == 1) counts = 1
  }
  /^DA:/ && counts {
    if (!((file, $2) in seen)) last[file] = $2 > last[file] ? $2 : last[file]
    seen[file, $2] += $3
  }
  END {
    for (file in last) {
      missed = ""
      lines = hit = 0
      for (line = 1; line <= last[file]; ++line) {
        if (!((file, line) in seen)) continue
        ++lines
        if (seen[file, line] > 0) ++hit; else missed = missed " " line
      }
      printf "%-44s %4d of %4d lines%s\n", file, hit, lines, missed ? "; not" missed : "" | "sort"
      all += lines
      reached += hit
    }
    close("sort")
    if (!all) { print "coverage: no line of the decoder was found"; exit 1 }
    share = 100 * reached / all
    failures = share < least
    printf "G11 lines of the decoder (%.1f %% reached): cases=%d failures=%d\n",
      share, all, failures
    exit failures
  }' "$profiles"/*.lcov
