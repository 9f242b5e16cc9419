#!/usr/bin/env bash
# Requires that hdb/fwd.hpp is cheap, which is all it is for: it includes only <cstdint>; that the
# test of the declarations names each type that it declares; and that each declaration names the
# header that has the definition, for compilers show that line where it is missing.
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
declared=$(sed -nE 's/^(class|struct|enum class) ([A-Za-z0-9]+).*; *(.*)$/\2 \3/p' "$header")
[ -n "$declared" ] || fail "fwd.hpp declares nothing"
cases=1
while read -r name _ defined; do
  cases=$((cases + 1))
  grep -qsE "^(class|struct|enum class) ([A-Z_]+ )?$name\b([^;]*$|.*[{])" \
    "$1/lib/include/$defined" "$1/schema/include/$defined" ||
    fail "fwd.hpp: $name is not defined in '$defined', as its comment says"
  sed -n '/^using Named/,/;$/p' "$test" | grep -qw "$name" ||
    fail "fwd_test.cpp does not name $name"
done <<<"$declared"
echo "forward declarations: cases=$cases failures=$failures"
exit $((failures > 0))
