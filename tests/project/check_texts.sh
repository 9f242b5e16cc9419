#!/bin/sh
# Checks the form of every text of the project.
#   check_texts.sh [ROOT]        checks the project (default: the one this script is part of)
#   check_texts.sh --self-test   shows that each rule can fail
# C++ files, scripts and the JavaScript of the viewer have an opening comment, at most 500 lines,
# and nothing left for later. No test writes files where other tests do (`TempDir`; `Folder` of
# tests/support makes its own place). Headers and sources of the library name no compiler: what
# standard C++ lacks has a name in lib/include/hdb/detail/base/compiler.hpp (hdb/c.h stands alone).
# These files, Python, CMakeLists.txt and Markdown have lines of at most 100 columns. In Markdown,
# rows of tables, fences without a language (literal output) and lines that are one URL may be
# longer. Every path in ARCHITECTURE.md exists.
set -eu

of_a_compiler='__attribute__|__builtin_|__u?int128|__declspec|__forceinline|__extension__'
of_a_compiler="$of_a_compiler|__(PRETTY_FUNCTION|FUNCSIG)__|\\[\\[(gnu|clang|msvc)::|__restrict"
of_a_compiler="$of_a_compiler|typeof *[(]|# *pragma +[^o]|_Pragma|asm +volatile|__asm"
of_a_compiler="$of_a_compiler|_MSC_VER|__(GNUC|clang|ELF|MACH|SSE2|SIZEOF_[A-Z0-9]+)__"
left_for_later='TO''DO|FIX''ME|XX''X:'

check_files() {
  find lib schema tools tests fixtures \( -name '*.[hc]pp' -o -name '*.sh' -o -name '*.cmake' \
    -o -name '*.py' -o -path '*/viewer/*.js' -o -name '*.mjs' -o -name CMakeLists.txt \
    -o -name '*.md' \) >"$list"
  find . -maxdepth 1 \( -name '*.md' -o -name CMakeLists.txt \) | sed 's|^\./||' >>"$list"
  sort "$list" | LC_ALL=C xargs awk -v later="$left_for_later" \
    -v of_a_compiler="$of_a_compiler" '
    function offence(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
    function columns(line) { gsub(/[\200-\277]/, "", line); return length(line) }
    function may_be_long(line) {
      if (extension != "md") return 0
      return line ~ /^\|/ || is_literal || line ~ /^ *([-*] )?<?[a-z]+:\/\/[^ ]*$/
    }
    FNR == 1 {
      ++files
      opened = is_literal = is_fence = 0
      extension = FILENAME
      sub(/.*\./, "", extension)
      is_source = extension ~ /^([hc]pp|m?js|sh|cmake)$/ && FILENAME !~ /\/cases\//
      is_library = extension ~ /^[hc]pp$/ && FILENAME ~ /^(lib|schema)\// &&
        FILENAME !~ /\/detail\/base\/compiler\.hpp$/
    }
    extension == "md" && /^ *```/ {
      is_fence = !is_fence
      is_literal = is_fence && /^ *```(text)?$/
    }
    FNR <= 2 && (extension ~ /^([hc]pp|m?js)$/ ? /^\/\/ ./ : /^# ./) { opened = 1 }
    FNR == 3 && is_source && !opened {
      offence("no opening comment that says what the file is for")
    }
    FNR == 501 && is_source { offence("more than 500 lines") }
    columns($0) > 100 && !may_be_long($0) { offence("more than 100 columns") }
    is_source && $0 ~ later { offence("left for later") }
    is_library && $0 ~ of_a_compiler { offence("names a compiler; see compiler.hpp") }
    extension ~ /^[hc]pp$/ && /TempDir[(]/ { offence("a place that other tests use") }
    END { if (!bad) printf "texts: cases=%d failures=0\n", files; exit bad }'
}

# A path is any text in backticks that contains a slash; a wildcard must match at least one file or
# folder.
check_paths() {
  paths=0
  missing=0
  set -f
  for path in $(grep -o '`[^`]*/[^`]*`' ARCHITECTURE.md | tr -d '` ' | sort -u); do
    paths=$((paths + 1))
    set +f
    ls -d $path > /dev/null 2>&1 ||
      { echo "ARCHITECTURE.md: no such path: $path"; missing=$((missing + 1)); }
    set -f
  done
  set +f
  [ "$paths" -gt 0 ] || { echo "ARCHITECTURE.md: no path found"; missing=1; }
  echo "paths: cases=$paths failures=$missing"
  [ "$missing" = 0 ]
}

check() {  # check ROOT: prints each offence, fails if it found one
  cd "$1"
  clean=yes
  check_files || clean=no
  check_paths || clean=no
  [ "$clean" = yes ]
}

# expect pass|TEXT FILE CONTENT: puts the content into a file of a small project and checks the
# project. TEXT is part of the expected offence.
expect() {
  wanted=$1
  mkdir -p "$(dirname "$tree/$2")"
  printf '%s\n' "$3" >"$tree/$2"
  cases=$((cases + 1))
  if [ "$wanted" = pass ]; then
    (check "$tree") >"$list.out" 2>&1 && { rm "$tree/$2"; return; }
    echo "refused: $2"
    cat "$list.out"
    failures=$((failures + 1))
  elif (check "$tree") >"$list.out" 2>&1 || ! grep -qF "$2:$wanted" "$list.out"; then
    echo "no offence '$wanted' in $2"
    cat "$list.out"
    failures=$((failures + 1))
  fi
  rm "$tree/$2"
}

self_test() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree" "$list" "$list.out"' EXIT
  mkdir -p "$tree/lib" "$tree/schema" "$tree/tools" "$tree/tests" "$tree/fixtures"
  echo '`lib/a.cpp`' >"$tree/ARCHITECTURE.md"
  echo '// A file.' >"$tree/lib/a.cpp"
  cases=0 failures=0
  x50=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
  long="# $x50 $x50"
  short="# $x50 ééééé"
  many=$(awk 'BEGIN { print "// A file."; for (i = 0; i < 500; ++i) print "" ; print "// End." }')
  for file in lib/b.sh tests/b.cmake tests/b.py tests/cases/b.sh CMakeLists.txt lib/CMakeLists.txt \
    README.md lib/docs/b.md fixtures/b.md; do
    expect pass "$file" "$short"
    expect "1: more than 100 columns" "$file" "$long"
  done
  expect pass lib/b.cpp "// $x50"
  expect "1: more than 100 columns" lib/b.cpp "// $x50 $x50"
  expect "501: more than 500 lines" lib/b.cpp "$many"
  expect "3: no opening comment" lib/b.cpp "$(printf 'a\nb\nc')"
  expect "3: no opening comment" tools/viewer/b.js "$(printf 'a\nb\nc')"
  expect "1: more than 100 columns" tests/b.mjs "// $x50 $x50"
  expect "2: left for later" lib/b.cpp "$(printf '// A file.\n// TO''DO')"
  expect "2: a place that other tests use" tests/b.cpp "$(printf '// A file.\nf(TempDir());')"
  for text in '__attribute__((pure))' '[[gnu::pure]]' '__builtin_trap()' '__int128' \
    '#pragma GCC unroll 4' '#if defined(_MSC_VER)' '#ifdef __clang__' 'typeof (a)' '__FUNCSIG__'; do
    expect "2: names a compiler" lib/b.hpp "$(printf '// A file.\n%s' "$text")"
    expect pass tests/b.hpp "$(printf '// A file.\n%s' "$text")"
  done
  expect pass lib/b.hpp "$(printf '// A file.\n#pragma once')"
  expect pass lib/include/hdb/detail/base/compiler.hpp "$(printf '// A file.\n__int128')"
  expect pass lib/b.md "| $x50 $x50 |"
  expect pass lib/b.md "- https://example.org/$x50$x50"
  expect "1: more than 100 columns" lib/b.md "See https://example.org/$x50$x50"
  expect pass lib/b.md "$(printf '```\n%s\n```' "$long")"
  expect "2: more than 100 columns" lib/b.md "$(printf '```cpp\n%s\n```' "$long")"
  expect "4: more than 100 columns" lib/b.md "$(printf '```\n%s\n```\n%s' "$long" "$long")"
  expect " no such path: lib/c.cpp" ARCHITECTURE.md '`lib/c.cpp`'
  echo "texts self-test: cases=$cases failures=$failures"
  [ "$failures" = 0 ]
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
case ${1:-} in
  --self-test) self_test ;;
  *) check "${1:-$(dirname "$0")/../..}" ;;
esac
