#!/bin/sh
# Checks what every source file promises: an opening comment, at most 400 lines of at most 100
# columns, nothing left for later.
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
    FNR == 401 { offence("more than 400 lines") }
    extension ~ /^[hc]pp$/ && length($0) > 100 { offence("more than 100 columns") }
    $0 ~ later { offence("left for later") }
    END { if (!bad) printf "texts: cases=%d failures=0\n", files; exit bad }'
