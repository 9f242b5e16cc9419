#!/usr/bin/env bash
# Builds hashes.c as a WebAssembly module and prints hashes_wasm.js, which holds it as base64.
# Usage: tools/viewer/reader/wasm/build.sh [FILE]   (default: hashes_wasm.js beside hashes.js)
# Needs clang-14, wasm-ld-14 (package lld-14) and xxhash.h (libxxhash-dev).
set -euo pipefail
cd "$(dirname "$0")"
output=${1:-../hashes_wasm.js}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "${XXHASH_HEADER:-/usr/include/xxhash.h}" "$folder/xxhash.h"
clang-14 --target=wasm32 -Os -nostdlib -ffreestanding -fno-builtin-memcmp -mbulk-memory \
  -Ishim -I"$folder" -c hashes.c -o "$folder/hashes.o"
wasm-ld-14 --no-entry --strip-all -z stack-size=16384 "$folder/hashes.o" -o "$folder/hashes.wasm"
{
  echo "// Written by wasm/build.sh from hashes.c and xxhash.h, whose licence follows."
  echo "/*!"
  sed -n '4,/^ *\*\//p' "$folder/xxhash.h"
  echo "export default ("
  base64 -w 92 "$folder/hashes.wasm" | sed "s/.*/  '&' +/; \$s/ +\$//"
  echo ");"
} >"$output"
