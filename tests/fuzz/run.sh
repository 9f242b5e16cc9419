#!/usr/bin/env bash
# Fuzzes each target for a while, always with the same seed.
# Usage: tests/fuzz/run.sh [SECONDS] [TARGET...]
#   default: 20 seconds; all targets: file, sealed, later, diff, c, operations,
#   import, filter
# New inputs go to build/fuzz/corpus/TARGET, inputs that cause a failure to
# build/fuzz/artifacts/TARGET.
set -euo pipefail
cd "$(dirname "$0")/../.."
case ${1:-} in -h|--help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
seconds=${1:-20}
[[ $seconds =~ ^[1-9][0-9]*$ ]] ||
  { echo "run.sh: '$seconds' is not a number of seconds; see --help" >&2; exit 2; }
shift || true
targets=("$@")
[ $# -gt 0 ] || targets=(file sealed later diff c operations import filter)

declare -A longest=([file]=16384 [sealed]=512 [later]=512 [diff]=512 [c]=512 [operations]=1024
  [import]=8192 [filter]=256)
declare -A seeds=([file]="fixtures/v0 fixtures/v0/ages fixtures/v0/invalid fixtures/regress"
  [later]=tests/fuzz/corpus/sealed [diff]=tests/fuzz/corpus/sealed
  [c]=tests/fuzz/corpus/sealed)
for target in "${targets[@]}"; do
  [ -n "${longest[$target]:-}" ] ||
    { echo "run.sh: no target '$target'; there are: ${!longest[*]}" >&2; exit 2; }
done
mkdir -p build/fuzz
# A folder that is configured keeps its options.
[ -f build/asan/build.ninja ] || cmake --preset asan >build/fuzz/configure.log 2>&1 ||
  { cat build/fuzz/configure.log; exit 1; }
cmake --build build/asan --target hdb_fuzzers >build/fuzz/build.log 2>&1 ||
  { tail -40 build/fuzz/build.log; exit 1; }

found=0
for target in "${targets[@]}"; do
  program=build/asan/tests/fuzz/fuzz_$target
  corpus=build/fuzz/corpus/$target
  artifacts=build/fuzz/artifacts/$target
  log=build/fuzz/$target.log
  mkdir -p "$corpus"
  rm -rf "$artifacts"
  mkdir -p "$artifacts"
  folders=("$corpus")
  for folder in "tests/fuzz/corpus/$target" ${seeds[$target]:-}; do
    [ ! -d "$folder" ] || folders+=("$folder")
  done
  status=0
  ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 "$program" -seed=1 \
    -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=200 -report_slow_units=20 \
    -max_len="${longest[$target]}" -len_control=0 -entropic=0 -print_final_stats=1 \
    -artifact_prefix="$artifacts/" "${folders[@]}" >"$log" 2>&1 || status=$?
  cases=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  [ -n "$cases" ] || cases=$(sed -n 's/^#\([0-9]*\).*/\1/p' "$log" | tail -1)
  failures=$(find "$artifacts" -type f | wc -l)
  [ "$status" = 0 ] || [ "$failures" != 0 ] || failures=1
  echo "G11 $target: cases=${cases:-0} failures=$failures"
  [ "$failures" = 0 ] && continue
  found=1
  grep -m3 -E "hdb fuzz: broken|hdb: |ERROR:|runtime error:|SUMMARY:" "$log" || tail -5 "$log"
  while read -r input; do
    echo "  input $input"
    echo "  again: $program $input"
    [ "$(stat -c %s "$input")" -gt 1024 ] || echo "  base64 $(base64 -w 0 "$input")"
  done < <(find "$artifacts" -type f)
  echo "  log   $log"
done
exit "$found"
