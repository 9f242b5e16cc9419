#!/usr/bin/env bash
# Requires that each generated header is what its script in tools/generate prints now.
# Usage: tests/project/check_generated.sh FOLDER
set -euo pipefail
cd "$1"
header=lib/include/hdb/detail/record/with_members.hpp
python3 tools/generate/with_members.py | cmp - "$header" ||
  { echo "$header: write it again: tools/generate/with_members.py >$header"; exit 1; }
