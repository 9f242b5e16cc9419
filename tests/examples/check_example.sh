#!/bin/sh
# Runs an example twice with one folder, as a reader does who starts it again.
#   check_example.sh PROGRAM FOLDER EXPECTED   FOLDER is made again; what the example gets is in it
#                                              and does not exist at first
#   check_example.sh --self-test               shows that each rule can fail
# Each run must succeed, print nothing to stderr, and print the text of EXPECTED to stdout; the
# second run that of EXPECTED.again, if that file exists.
set -eu

check() {  # check PROGRAM FOLDER EXPECTED: prints what is wrong, and fails then
  rm -rf "$2"
  mkdir -p "$2"
  for run in first second; do
    expected=$3
    [ $run = first ] || [ ! -e "$3.again" ] || expected=$3.again
    status=0
    "$1" "$2/files" >"$2/output" 2>"$2/errors" || status=$?
    if [ $status -ne 0 ]; then
      echo "$1: the $run run ended with status $status: $(cat "$2/errors")"
      return 1
    elif [ -s "$2/errors" ]; then
      echo "$1: the $run run printed to stderr: $(cat "$2/errors")"
      return 1
    elif ! diff "$expected" "$2/output" >"$2/difference"; then
      echo "$1: the output of the $run run (>) is not $expected (<):"
      cat "$2/difference"
      return 1
    fi
  done
}

expect() {  # expect TEXT SCRIPT: a program; TEXT is part of what is wrong, or "nothing"
  printf '#!/bin/sh\n%s\n' "$2" >"$work/program"
  chmod +x "$work/program"
  cases=$((cases + 1))
  if check "$work/program" "$work/run" "$work/expected" >"$work/found"; then
    echo nothing >"$work/found"
  fi
  grep -q "$1" "$work/found" && return
  failures=$((failures + 1))
  echo "check_example.sh --self-test: '$2': expected '$1', found: $(cat "$work/found")"
}

if [ "$1" = --self-test ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  cases=0 failures=0
  echo "day 1" >"$work/expected"
  expect nothing 'echo day 1'
  expect 'first run ended with status 3: no such save' 'echo day 1; echo no such save >&2; exit 3'
  expect 'first run printed to stderr: odd' 'echo day 1; echo odd >&2'
  expect 'output of the first run' 'echo day 2'
  expect 'second run ended with status 1' 'echo day 1; mkdir "$1"'
  expect 'output of the second run' '[ -e "$1" ] || echo day 1; : >"$1"'
  echo "day 2" >"$work/expected.again"
  expect 'output of the second run' 'echo day 1'
  expect nothing 'if [ -e "$1" ]; then echo day 2; else echo day 1; fi; : >"$1"'
  echo "examples self-test: cases=$cases failures=$failures"
  [ "$failures" = 0 ]
  exit
fi
check "$@"
