#!/usr/bin/env bash
# Requires that hashes_wasm.js is what its script makes of hashes.c now.
# Usage: tests/viewer/check_wasm.sh PROJECT
set -euo pipefail
reader=$1/tools/viewer/reader
new=$(mktemp)
trap 'rm -f "$new"' EXIT
bash "$reader/wasm/build.sh" "$new"
cmp "$new" "$reader/hashes_wasm.js" ||
  { echo "hashes_wasm.js: build it again: tools/viewer/reader/wasm/build.sh"; exit 1; }
