#!/usr/bin/env bash
# Builds and runs the sample game: plays a real map, saves during play, restores and inspects.
# Usage: tools/demo.sh [--map NAME] [--seed N] [--wad FILE] ... (see --help)
#        tools/demo.sh --window [--map NAME] ...    plays in a window, and shows its database
set -euo pipefail
cd "$(dirname "$0")/.."
mode=--demo
targets=(hdb_demo hdbinspect)
if [ "${1:-}" = --window ]; then
  mode=--window
  targets=(hdb_demo_window)
  shift
fi
tools/setup.sh "$mode"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "building (the first build takes about two minutes) ..." >&2
if ! { cmake -S . -B build/demo -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON \
  -DHDB_BUILD_TESTS=OFF \
         -DHDB_BUILD_BENCHMARKS=OFF &&
       cmake --build build/demo --target "${targets[@]}"; } >"$log" 2>&1; then
  tail -40 "$log" >&2
  echo "demo.sh: the build failed; the last lines of its output are above" >&2
  exit 1
fi
if [ "$mode" = --window ]; then
  exec build/demo/tools/demo/window/hdb_demo_window "$@"
fi
exec build/demo/tools/demo/hdb_demo "$@"
