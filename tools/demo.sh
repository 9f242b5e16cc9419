#!/usr/bin/env bash
# Builds and runs the sample game: plays a real map, saves during play, restores and inspects.
# Usage: tools/demo.sh [--map NAME] [--seed N] [--wad FILE] ... (see --help)
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh --demo
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "building (the first build takes about two minutes) ..." >&2
if ! { cmake -S . -B build/demo -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
  -DHDB_BUILD_TESTS=OFF \
         -DHDB_BUILD_BENCHMARKS=OFF &&
       cmake --build build/demo --target hdb_demo hdbinspect; } >"$log" 2>&1; then
  tail -40 "$log" >&2
  echo "demo.sh: the build failed; the last lines of its output are above" >&2
  exit 1
fi
exec build/demo/tools/demo/hdb_demo "$@"
