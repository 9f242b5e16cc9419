#!/usr/bin/env bash
# Shows that the tests can fail: applies each patch of this folder to a copy of the sources, builds,
# and requires that the test named in the patch turns red. A patch starts with two lines:
#   # test: <program> <GoogleTest filter>     or, if the test is no program of GoogleTest:
#   # test: <program> ctest <name of the test>
#   # breaks: <the law or promise>
# Usage: tests/mutants/run.sh [--check] [NAME...]
#   --check   only check that every patch applies and names a test that exists
# As many mutants as there are processors are built and run at a time. ccache, if installed, lets
# their builds share what is the same.
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
    list=(--include=*.cpp "(.*$suite")
    [[ $filter != ctest\ * ]] ||
      list=(--include=CMakeLists.txt "add_test(NAME ${suite#ctest }[.]")
    { [[ $program != ctest && -n $filter ]] && grep -rqw "$program" tests/*/CMakeLists.txt &&
      grep -rq "${list[@]}" tests; } ||
      {
        echo "$patch_file: its first line must name a test that exists: # test: PROGRAM FILTER"
        exit 1
      }
  done
  echo "mutants: $count apply"
  exit 0
fi

# Each worker has a copy of the sources and a build of its own.
sync_sources() { # sync_sources COPY: copies only what changed
  local file
  { git ls-files; git ls-files --others --exclude-standard; } | sort -u | while read -r file; do
    [ -f "$file" ] || continue
    cmp -s "$file" "$1/$file" && continue
    mkdir -p "$1/$(dirname "$file")"
    cp "$file" "$1/$file"
  done
}
# A changed header concerns most files, which build fastest many at a time, and without the files of
# other tests; another changed file is compiled alone.
kind_of() { # kind_of PATCH
  if grep -q '^+++ .*\.hpp$' "$1"; then echo headers; else echo sources; fi
}
configure() { # configure WORKER KIND
  local folder=build/mutants/$1 unity=OFF
  [ "$2" = sources ] || unity=ON
  mkdir -p "$folder"
  sync_sources "$folder/source"
  # The tests of the page find its packages beside its sources.
  if [ -d build/viewer/node_modules ]; then
    mkdir -p "$folder/source/build/viewer"
    ln -sfn "$PWD/build/viewer/node_modules" "$folder/source/build/viewer/node_modules"
  fi
  # Without debug information builds take half the time; assertions stay.
  cmake -S "$folder/source" -B "$folder/$2" -G Ninja -DCMAKE_BUILD_TYPE= \
    -DCMAKE_CXX_FLAGS=-O1 -DHDB_ASSERTS=ON -DHDB_QUICK_TESTS=ON -DHDB_BUILD_BENCHMARKS=OFF \
    -DCMAKE_UNITY_BUILD=$unity \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS="$(command -v ccache >/dev/null && echo ON || echo OFF)" \
    >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log"; return 1; }
}
words_of() { # words_of FILTER: what the names of the tests contain; nothing if that is all of them
  local words=() part
  IFS=: read -ra parts <<<"$1"
  for part in "${parts[@]}"; do
    part=${part%%.*}
    part=${part##*/}
    part=${part//\*/}
    [ -n "$part" ] || return 0
    words+=("$part")
  done
  local IFS=";"
  echo "${words[*]}"
}
build() { # build WORKER KIND PROGRAM...
  local tree=build/mutants/$1/$2
  shift 2
  cmake --build "$tree" -j "$jobs" --target "$@"
}
restore() { # restore COPY PATCH: undoes the patch, so that the build of one mutant serves the next
  local file
  sed -n 's,^+++ b/,,p' "$2" | while read -r file; do
    cp "$file" "$1/$file"
  done
}
run_mutant() { # run_mutant WORKER NAME: one line with the result
  local folder=build/mutants/$1 name=$2
  local patch_file=$here/$name.patch log=build/mutants/logs/$name
  local program filter kind status=0
  kind=$(kind_of "$patch_file")
  read -r program filter < <(sed -n 's/^# test: //p' "$patch_file")
  trap 'restore "$folder/source" "$patch_file"' RETURN
  patch -s -p1 -d "$folder/source" <"$patch_file" ||
    {
      echo "mutant $name: BROKEN: the patch does not apply; make it again from the present code"
      return
    }
  {
    [ "$kind" = sources ] || cmake "-DHDB_TEST_WORDS=$(words_of "$filter")" "$folder/$kind"
    build "$1" "$kind" "$program"
  } >"$log.build" 2>&1 ||
    { echo "mutant $name: BROKEN: does not build; see $log.build"; return; }
  local run=(env HDB_TEST_SCALE=0.1 ctest --test-dir "$folder/$kind" --output-on-failure
    -R "^${filter#ctest }\$")
  [[ $filter == ctest\ * ]] ||
    run=("$(find "$folder/$kind" -name "$program" -type f -perm -u+x | head -1)"
      --gtest_filter="$filter" --gtest_brief=1)
  timeout 600 "${run[@]}" >"$log.test" 2>&1 || status=$?
  if [ "$status" = 0 ]; then
    echo "mutant $name: SURVIVED $program $filter"
  elif [ "$status" -ge 128 ] || grep -q "FAILED\|\*\*\*Failed\|hdb: " "$log.test"; then
    echo "mutant $name: killed by $filter"
  elif [ "$status" = 124 ]; then
    echo "mutant $name: killed by $filter, which did not end in 600 s"
  else
    echo "mutant $name: SURVIVED: $program ended without a failed test; see $log.test"
  fi
}
export here CCACHE_BASEDIR=$PWD/build/mutants CCACHE_NOHASHDIR=1
! command -v ccache >/dev/null || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
if [ "${1-}" = --worker ]; then  # WORKER NAME
  jobs=1
  run_mutant "$2" "$3" 2>"build/mutants/logs/$3.messages"  # of Bash: that a test was aborted
  exit
fi

names=("$@")
[ $# -gt 0 ] || names=($(cd "$here" && ls ./*.patch | sed 's,^\./,,; s,\.patch$,,'))
mkdir -p build/mutants/logs
workers=$(nproc)
[ "$workers" -le ${#names[@]} ] || workers=${#names[@]}
jobs=$(nproc)
for kind in sources headers; do
  programs=($(for name in "${names[@]}"; do
                patch_file=$here/$name.patch
                [ "$(kind_of "$patch_file")" != "$kind" ] ||
                  sed -n 's/^# test: \([^ ]*\).*/\1/p' "$patch_file"
              done | sort -u))
  [ ${#programs[@]} -gt 0 ] || continue
  [ "$kind" = sources ] || programs=(hdb hdb_inspect)
  for ((worker = 1; worker <= workers; ++worker)); do
    configure "$worker" "$kind"
    build "$worker" "$kind" "${programs[@]}" >"build/mutants/$worker/$kind.log" 2>&1 ||
      { tail -40 "build/mutants/$worker/$kind.log"; exit 1; }
  done
done
results=build/mutants/results.txt
printf '%s\n' "${names[@]}" |
  xargs -P "$workers" -n 1 --process-slot-var=slot \
    bash -c '"$0" --worker $((slot + 1)) "$1"' "$here/run.sh" | tee "$results"
killed=$(grep -c ": killed" "$results" || true)
survived=$(grep -c ": SURVIVED" "$results" || true)
broken=$(grep -c ": BROKEN" "$results" || true)
echo "mutants: $killed killed, $survived survived, $broken broken"
[ "$killed" = ${#names[@]} ]
