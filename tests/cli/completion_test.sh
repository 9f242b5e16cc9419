#!/bin/sh
# The completions load and work in their shells; the manual pages have no warnings. Shells that are
# not installed are reported and skipped.
# completion_test.sh HDBINSPECT FIXTURES
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for shell in bash zsh fish; do "$program" completion $shell >"$work/$shell"; done
mkdir "$work/man"
for name in "" $("$program" completion words -- help "" | cut -f 1); do
  "$program" help --man $name >"$work/man/hdbinspect${name:+-$name}"
done
cd "$2/v0"
cp before.hdb "$work/a b.hdb"
# Builds without SQLite have no archives.
"$program" -q archive put "$work/all.hdba" before.hdb after.hdb --world gate ||
  rm -f "$work/all.hdba"
PATH=$(dirname "$program"):$PATH  # the scripts ask the program
cases=0
failures=0
expect() {  # expect NAME WANTED GOT
  cases=$((cases + 1))
  [ "$2" = "$3" ] || { echo "$1: expected '$2', got '$3'"; failures=$((failures + 1)); }
}
# LINE is the text before the cursor; its last word is completed.
try_all() {  # try_all ASK: runs ASK LINE for each
  expect "$1 command" validate "$($1 'hdbinspect val')"
  expect "$1 option" --level "$($1 'hdbinspect validate --lev')"
  expect "$1 choice" quick "$($1 'hdbinspect validate --level q')"
  expect "$1 global" --verbose "$($1 'hdbinspect --verb')"
  expect "$1 global after a command" --verbose "$($1 'hdbinspect ls --verb')"
  expect "$1 value of a global" never "$($1 'hdbinspect --color nev')"
  expect "$1 command after a global" convert "$($1 'hdbinspect --color never conv')"
  expect "$1 file" before_stored.hdb "$($1 'hdbinspect diff after.hdb before_')"
  expect "$1 topic" names "$($1 'hdbinspect help nam')"
  expect "$1 table" monsters "$($1 'hdbinspect dump before.hdb -t mo')"
  expect "$1 field" hp "$($1 'hdbinspect dump before.hdb -f h')"
  expect "$1 record's table" monsters: "$($1 'hdbinspect get before.hdb mo')"
  expect "$1 record in a folder" monsters: "$($1 'hdbinspect blame series mo')"
  if [ -e "$work/all.hdba" ]; then
    wanted=$work/all.hdba@gate/
    [ "$1" != in_bash ] || wanted=gate/
    [ "$1" != in_zsh ] || wanted=${wanted%/}  # it prints no slash at the end
    expect "$1 world" "$wanted" "$($1 "hdbinspect diff before.hdb $work/all.hdba@g")"
    expect "$1 world of thin" gate "$($1 "hdbinspect archive thin $work/all.hdba --world g")"
  fi
  plain='corners[].z'
  [ "$1" = in_fish ] || plain='corners\[\].z'
  expect "$1 elements" "$plain" "$($1 'hdbinspect dump every_field.hdb -f corners\[\].z')"
  expect "$1 shell" fish "$($1 'hdbinspect completion fi')"
}
in_bash() {
  # shellcheck disable=SC2016  # for the inner shell
  bash --norc -c '. "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _hdbinspect
    echo "${COMPREPLY[*]}"' bash "$work/bash" "$1"
}
in_fish() {
  # shellcheck disable=SC2016
  HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work \
    fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$work/fish" "$1" 2>&1 | cut -f 1
}
if command -v bash >/dev/null && bash --norc -c '[ "${BASH_VERSINFO[0]}" -ge 4 ]'; then
  bash -n "$work/bash" && try_all in_bash
  # readline replaces what follows = or a colon.
  expect "bash --level=q" quick "$(in_bash 'hdbinspect validate --level=q')"
  expect "bash, record" "5@2" "$(in_bash 'hdbinspect get after.hdb monsters:5')"
  expect "bash, begun" "2.pos.x=" "$(in_bash 'hdbinspect set after.hdb monsters:5@2.pos.x')"
  expect "bash, blank" monsters "$(in_bash "hdbinspect dump $work/a\\ b.hdb -t mo")"
else
  echo "left out: bash 4 is not here"
fi
if command -v fish >/dev/null; then try_all in_fish; else echo "left out: fish is not here"; fi
if command -v zsh >/dev/null && command -v python3 >/dev/null; then
  mkdir "$work/functions"
  cp "$work/zsh" "$work/functions/_hdbinspect"
  in_zsh() { python3 "$(dirname "$0")/complete_in_zsh.py" "$work/functions" "$1"; }
  case $0 in /*) ;; *) echo "call it by its whole path"; exit 2 ;; esac
  try_all in_zsh
else
  echo "left out: zsh or python3 is not here"
fi
for page in "$work/man"/*; do
  if command -v groff >/dev/null; then
    expect "groff warnings" "" "$(groff -ww -man -Tutf8 "$page" 2>&1 >"$work/page")"
    expect "a page" yes "$([ "$(wc -l <"$work/page")" -gt 20 ] && echo yes)"
  fi
  if command -v man >/dev/null; then
    expect "man warnings" "" \
      "$(MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)"
  fi
done
for tool in groff man; do
  command -v $tool >/dev/null || echo "left out: $tool is not here"
done
echo "cases=$cases failures=$failures"
test "$failures" -eq 0
