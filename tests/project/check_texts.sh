#!/bin/sh
# Checks what every source file promises: an opening comment, at most 500 lines of at most 100
# columns, nothing left for later; and that every path in ARCHITECTURE.md exists.
#   check_texts.sh [ROOT]
set -eu
root=${1:-$(dirname "$0")/../..}
cd "$root"
left_for_later='TO''DO|FIX''ME|XX''X:|GTEST_''SKIP'
find lib schema tools tests \( -name '*.[hc]pp' -o -name '*.sh' -o -name '*.cmake' \) \
  ! -path '*/cases/*' | sort | xargs awk -v later="$left_for_later" '
    function offence(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
    FNR == 1 { ++files; opened = 0; extension = FILENAME; sub(/.*\./, "", extension) }
    FNR <= 2 && (extension ~ /^[hc]pp$/ ? /^\/\/ ./ : /^# ./) { opened = 1 }
    FNR == 3 && !opened { offence("no opening comment that says what the file is for") }
    FNR == 501 { offence("more than 500 lines") }
    extension ~ /^[hc]pp$/ && length($0) > 100 { offence("more than 100 columns") }
    $0 ~ later { offence("left for later") }
    END { if (!bad) printf "texts: cases=%d failures=0\n", files; exit bad }'

# A path is any text in backticks that contains a slash; a wildcard must match at least one file or folder.
paths=0
missing=0
set -f
for path in $(grep -o '`[^`]*/[^`]*`' ARCHITECTURE.md | tr -d '` ' | sort -u); do
  paths=$((paths + 1))
  set +f
  ls -d $path > /dev/null 2>&1 || { echo "ARCHITECTURE.md: no such path: $path"; missing=$((missing + 1)); }
  set -f
done
[ "$paths" -gt 0 ] || { echo "ARCHITECTURE.md: no path found"; missing=1; }
echo "paths: cases=$paths failures=$missing"
[ "$missing" = 0 ]
