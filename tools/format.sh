#!/usr/bin/env bash
# Formats all C and C++ by .clang-format. With --check, only lists files that need formatting.
# Usage: tools/format.sh [--check] (clang-format 14: tools/setup.sh --ci installs it)
set -euo pipefail
cd "$(dirname "$0")/.."
formatter=$(command -v clang-format-14 || command -v clang-format) || {
  echo "format.sh: clang-format is missing; run tools/setup.sh --ci" >&2
  exit 1
}
mapfile -t files < <(git ls-files '*.hpp' '*.cpp' '*.h' '*.c')
case ${1:-} in
  "") "$formatter" -i "${files[@]}" ;;
  --check)
    bad=0
    for file in "${files[@]}"; do
      "$formatter" --dry-run -Werror "$file" >/dev/null 2>&1 ||
        { echo "$file: not formatted"; bad=$((bad + 1)); }
    done
    echo "format: cases=${#files[@]} failures=$bad"
    [ "$bad" = 0 ] || { echo "format.sh: run tools/format.sh"; exit 1; } ;;
  *) sed -n '2,3s/^# //p' "$0"; exit 2 ;;
esac
