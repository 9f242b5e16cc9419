#!/usr/bin/env bash
# Builds and runs the sample of Meson with a release of what is committed, as its users do: with the
# wrap and the tar file that tools/release.sh makes. Usage: tests/packaging/meson.sh [OUT]
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(realpath -m "${1:-build/meson}")
rm -rf "$out"
mkdir -p "$out/project/subprojects/packagefiles"
# A release of a copy, in which nothing else is.
git clone -q . "$out/copy"
(
  cd "$out/copy"
  git checkout -q -B main
  git tag -l | xargs -r git tag -d >/dev/null
  grep -q "^## Unreleased" CHANGELOG.md ||
    { sed -i '0,/^## .*/s//## Unreleased/' CHANGELOG.md; git commit -qam "notes"; }
  tools/release.sh --dry-run --tests true 99.0.0 "$out/release" >/dev/null
)
cp tests/packaging/meson/meson.build tests/project/consumer/main.cpp "$out/project"
cp "$out/release/hdb.wrap" "$out/project/subprojects"
cp "$out"/release/hdb-*[0-9].tar.gz "$out/project/subprojects/packagefiles"
cd "$out/project"
meson setup --unity on build >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
meson compile -C build >"$out/log" 2>&1 || { tail -40 "$out/log"; exit 1; }
meson test -C build >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
grep -q "the handles are good" build/meson-logs/testlog.txt
echo "meson: cases=1 failures=0"
