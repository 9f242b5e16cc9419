#!/usr/bin/env bash
# Builds the documentation site: every page and the reference, with a search, for a browser without
# a network. Usage: tools/docs.sh
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh --docs
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { cmake -S . -B build/docs -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
         -DHDB_BUILD_TESTS=OFF -DHDB_BUILD_BENCHMARKS=OFF -DHDB_SITE_DIR="$PWD/build/site" &&
       cmake --build build/docs --target hdb_docs; } >"$log" 2>&1; then
  tail -40 "$log" >&2
  echo "docs.sh: the build failed; the last lines of its output are above" >&2
  exit 1
fi
echo "$PWD/build/site/index.html"
