#!/usr/bin/env bash
# Requires that hdb/fwd.hpp is cheap, which is all it is for: it includes only <cstdint>; and that
# the test of the declarations names each type that it declares.
# Usage: check_fwd.sh ROOT
set -euo pipefail
header=$1/lib/include/hdb/fwd.hpp
test=$1/tests/database/fwd_test.cpp
failures=0
fail() {
  failures=$((failures + 1))
  echo "$1"
}
[ "$(grep -E '^ *# *include' "$header")" = "#include <cstdint>" ] ||
  fail "fwd.hpp may include only <cstdint>"
names=$(sed -nE 's/^(class|struct|enum class) ([A-Za-z0-9]+).*;$/\2/p' "$header")
[ -n "$names" ] || fail "fwd.hpp declares nothing"
cases=1
for name in $names; do
  cases=$((cases + 1))
  sed -n '/^using Named/,/;$/p' "$test" | grep -qw "$name" ||
    fail "fwd_test.cpp does not name $name"
done
echo "forward declarations: cases=$cases failures=$failures"
exit $((failures > 0))
