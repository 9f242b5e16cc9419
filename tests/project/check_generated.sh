#!/usr/bin/env bash
# Requires that each generated file is what its script in tools/generate prints now.
# Usage: tests/project/check_generated.sh FOLDER
set -euo pipefail
cd "$1"
check() { # check SCRIPT FILE
  python3 -B "tools/generate/$1" | cmp - "$2" ||
    { echo "$2: write it again: tools/generate/$1 >$2"; exit 1; }
}
check with_members.py lib/include/hdb/detail/record/with_members.hpp
check natvis.py lib/debuggers/hdb.natvis
