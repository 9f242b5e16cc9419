#!/usr/bin/env bash
# Builds hdb and runs its tests.
# Usage: tools/test.sh [--ci] [--fuzz N] [--soak [TICKS]] [--coverage] [--mutants] [--portability]
#                      [--packages] [--help] [-R REGEX]
#   (no option)  build hdb and run all tests: at most 10 minutes on 2 cores. Tests of many cases
#                try 0.1 of them; HDB_TEST_SCALE=N sets another part or a multiple. The compiler is
#                clang++ 14, which takes half the time of g++, or that of CC and CXX
#   --ci         all checks that a change must pass: also format, clang++, libc++, warnings as
#                errors, sanitizers, fuzzing for 10 s per target, with 0.05 of the cases: about 40
#                minutes on 2 cores with a warm compiler cache
#   --fuzz N     run only the fuzzers, N seconds each
#   --soak TICKS play the sample game for that many ticks (default: a million), kill it at random
#                times, and continue it from its newest save
#   --coverage   show which lines of the decoder the tests reach; fails below 95 %
#   --mutants    run only the mutants: each patch in tests/mutants must make the test that it names
#                fail
#   --portability
#                build for 32-bit x86, 64-bit Arm, big-endian s390x, Windows, WebAssembly and musl,
#                and run what shows that files and states are the same there, under qemu-user, Wine
#                and Node.js: 8 builds
#   --packages   of what is committed, build the Debian packages twice, for the same bytes, use them
#                on a fresh machine, and build the sample of Meson; needs the servers of Debian
#   -R REGEX     run only the tests whose names match REGEX
set -euo pipefail
cd "$(dirname "$0")/.."

stage_name=
stage_start=0
end_stage() {
  [ -z "$stage_name" ] || echo "=== $stage_name: done after $(( $(date +%s) - stage_start )) s"
}
stage() {
  end_stage
  stage_name=$1
  stage_start=$(date +%s)
  echo "=== $stage_name"
}
build() { # build PRESET [TARGET...]
  local preset=$1; shift
  cmake --preset "$preset" "${cache[@]}" >build/configure-"$preset".log 2>&1 ||
    { cat build/configure-"$preset".log; exit 1; }
  cmake --build "build/$preset" ${*:+--target "$@"} -- -k 0 >build/build-"$preset".log 2>&1 ||
    {
      grep -E "error|warning|FAILED" build/build-"$preset".log | sed -n 1,60p
      tail -5 build/build-"$preset".log
      exit 1
    }
  ! grep -E "warning:" build/build-"$preset".log ||
    { echo "test.sh: the build of preset $preset printed the warnings above"; exit 1; }
}
run_tests() { # run_tests PRESET [CTEST OPTIONS]
  local preset=$1; shift
  # One more than there are processors, for some tests wait most of the time.
  # The time limit is only for what hangs, on any machine.
  ctest --test-dir "build/$preset" --output-on-failure --progress -j "$(($(nproc) + 1))" \
    --timeout 7200 "$@" \
    >"build/ctest-$preset.log" 2>&1 || {
    # Prints only the output of failed tests.
    awk '/ Test +#[0-9]+: /{ failed = /\*\*\*/ } /^ +Start /{ next } failed' \
      "build/ctest-$preset.log" | sed -n 1,300p
    sed -n '/tests passed/,$p' "build/ctest-$preset.log"; exit 1; }
  grep -hE "^G[0-9]+[^=]*: cases=" "build/$preset"/Testing/Temporary/LastTest.log | sort -u || true
  tail -5 "build/ctest-$preset.log"
}
plain() { # plain PRESET [CTEST OPTIONS]
  local preset=$1; shift
  stage "build ($preset)"; build "$preset"
  stage "tests ($preset)"; run_tests "$preset" "$@"
}
mutants() { stage "mutants"; tests/mutants/run.sh "$@"; }
fuzz() { stage "fuzz"; tests/fuzz/run.sh "$1"; }

mode=plain
fuzz_seconds=10
ticks=1000000
select=()
while [ $# -gt 0 ]; do
  case "$1" in
    --ci) mode=ci ;;
    --mutants) mode=mutants ;;
    --portability) mode=portability ;;
    --packages) mode=packages ;;
    --fuzz)
      [ $# -ge 2 ] ||
        { echo "test.sh: --fuzz needs a number of seconds; run tools/test.sh --help" >&2; exit 2; }
      mode=fuzz; fuzz_seconds=$2; shift ;;
    --soak)
      mode=soak
      if [[ ${2:-} =~ ^[0-9]+$ ]]; then ticks=$2; shift; fi ;;
    --coverage) mode=coverage ;;
    -R)
      [ $# -ge 2 ] ||
        { echo "test.sh: -R needs a regular expression; run tools/test.sh --help" >&2; exit 2; }
      select=(-R "$2"); shift ;;
    -h|--help) sed -n '2,23s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "test.sh: unknown option '$1'; run tools/test.sh --help" >&2; exit 2 ;;
  esac
  shift
done
mkdir -p build
# A compiler cache saves more time than precompiled headers, which it cannot cache.
cache=()
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD  # so it serves other clones
  cache=(-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
fi

case $mode in
  plain)
    stage "setup"; tools/setup.sh --test
    export HDB_TEST_SCALE=${HDB_TEST_SCALE:-0.1}
    # A folder that is configured keeps its compiler.
    if [ -z "${CC:-}${CXX:-}" ] && command -v clang++-14 >/dev/null; then
      export CC=clang-14 CXX=clang++-14
    fi
    plain test "${select[@]}" ;;
  mutants)
    stage "setup"; tools/setup.sh --mutants
    mutants ;;
  portability)
    stage "setup"; tools/setup.sh --portability
    for target in i686 aarch64 s390x windows windows-dll windows-clang wasm musl; do
      stage "build ($target)"; build "$target" hdb_portability
      stage "tests ($target)"; run_tests "$target"
    done
    stage "the library in two files (windows)"; tests/project/amalgamation.sh --windows ;;
  packages)
    stage "setup"; tools/setup.sh --packages
    stage "Debian packages"; tools/packaging/debian.sh --twice
    stage "a fresh machine"; tests/packaging/fresh_machine.sh
    stage "Meson"; tests/packaging/meson.sh ;;
  fuzz)
    stage "setup"; tools/setup.sh --ci
    fuzz "$fuzz_seconds" ;;
  soak)
    stage "setup"; tools/setup.sh --test
    stage "build"; build test hdb_soak
    stage "soak"; build/test/tests/game/hdb_soak "$ticks" ;;
  coverage)
    stage "setup"; tools/setup.sh --ci
    # Files of the library are compiled alone: the profile tells functions apart by file and name.
    cache+=(-DCMAKE_UNITY_BUILD=OFF -DHDB_QUICK_TESTS=ON)
    stage "build"
    build coverage hdb_tests_format hdb_tests_record hdb_tests_inspect hdb_tests_database \
      hdb_tests_kept hdb_tests_c
    stage "coverage"; tests/project/coverage.sh build/coverage ;;
  ci)
    # With CI=true the demo fails without a WAD: CI must not test only a generated map.
    export CI=true ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
    stage "setup"; tools/setup.sh --ci
    stage "format"; tools/format.sh --check
    mutants --check
    cache+=(-DHDB_BROWSER_TESTS=ON)
    # Sanitizers take three times as long, and the plain run tries more cases.
    export HDB_TEST_SCALE=${HDB_TEST_SCALE:-0.05}
    stage "build (gcc)"; build gcc
    # One compiler for a minute, while others work.
    tests/project/amalgamation.sh >build/amalgamation.log 2>&1 &
    two_files=$!
    stage "tests (gcc)"; run_tests gcc
    wait $two_files || { cat build/amalgamation.log; exit 1; }
    tail -1 build/amalgamation.log
    # A release build, as a user makes it.
    stage "demo"; tools/demo.sh >build/demo.log 2>&1 || { tail -40 build/demo.log; exit 1; }
    stage "build (asan, clang++)"; build asan all hdb_fuzzers
    stage "tests (ASan, UBSan)"; run_tests asan -LE "slow|demo|project|texts"
    stage "build (tsan)"
    build tsan hdb_tests_archive hdb_tests_core hdb_tests_database hdb_tests_files \
      hdb_tests_format hdb_tests_inspect
    stage "tests (TSan)"; run_tests tsan -L threads
    # GoogleTest is built with libstdc++, so the test is a program that saves and loads with the
    # installed libraries, which are shared ones.
    stage "clang++ with libc++"; build libcxx
    for case in "$PWD"/tests/cli/cases/{convert,diff,dump,filter,repair,set,sql,validate}*.sh; do
      tests/cli/run_case.sh "$PWD/build/libcxx/tools/hdbinspect/hdbinspect" "$PWD/fixtures" "$case"
    done
    build/libcxx/tools/demo/hdb_demo >build/demo-libcxx.log ||
      { tail -40 build/demo-libcxx.log; exit 1; }
    cmake -DBUILD_DIR=build/libcxx -DSOURCE_DIR="$PWD" -DWORK_DIR="$PWD/build/libcxx/consumer" \
      -DCXX_COMPILER="$(command -v clang++-14)" \
      -DCXX_FLAGS=-stdlib=libc++ -P tests/project/consume.cmake
    fuzz 10 ;;
esac
end_stage
