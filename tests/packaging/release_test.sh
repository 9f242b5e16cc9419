#!/usr/bin/env bash
# tools/release.sh in copies of the project: what it refuses, and that its files have the same bytes
# each time. Usage: tests/packaging/release_test.sh PROJECT
set -euo pipefail
project=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_AUTHOR_NAME=hdb GIT_AUTHOR_EMAIL=hdb@localhost GIT_COMMITTER_NAME=hdb \
  GIT_COMMITTER_EMAIL=hdb@localhost GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
cases=0
fail() { echo "release_test.sh: $*"; exit 1; }
mkdir -p "$work/start"
cd "$project"
cp -r --parents CMakeLists.txt CHANGELOG.md LICENSE lib schema tools/packaging tools/release.sh \
  tools/viewer/package-lock.json tools/viewer/reader/package.json tests/project tests/packaging \
  "$work/start"
cd "$work/start"
sed -i '0,/^## .*/s//## Unreleased/' CHANGELOG.md
git init -q -b main
git add -A
GIT_COMMITTER_DATE="@1000000000 +0000" GIT_AUTHOR_DATE="@1000000000 +0000" git commit -qm start
git tag -a -m "the last one" v8.9.10
copy() { # copy NAME: a copy of the start, which is the folder afterwards
  rm -rf "${work:?}/$1"
  cp -r "$work/start" "$work/$1"
  cd "$work/$1"
}
refused() { # refused TEXT ARGUMENT...: says why, and leaves the repository as it is
  local wanted=$1 before after
  shift
  before=$(git rev-parse HEAD; git tag; git status --porcelain)
  if tools/release.sh "$@" >"$work/log" 2>&1; then fail "not refused: $*"; fi
  grep -qF -- "$wanted" "$work/log" || { cat "$work/log"; fail "no '$wanted' for: $*"; }
  after=$(git rev-parse HEAD; git tag; git status --porcelain)
  [ "$before" = "$after" ] || fail "a refusal changed the repository: $*"
  cases=$((cases + 1))
}
copy refusals
refused "must be like 1.2.3" --tests true 9
refused "not above the last release, v8.9.10" --tests true 8.9.10
refused "not above the last release, v8.9.10" --tests true 8.9.9
refused "the tests failed: false" --tests false 9.0.0
refused "no tag v9.0.0" --again 9.0.0
git checkout -q -b other
refused "on the branch main" --tests true 9.0.0
git checkout -q main
echo "and more" >>LICENSE
refused "not committed" --tests true 9.0.0
git checkout -q LICENSE
sed -i 's/^project(hdb VERSION [0-9.]*/project(hdb VERSION 7.7.7/' CMakeLists.txt
git commit -qam "a version that the recipes do not have"
refused "the version stands elsewhere" --tests true 9.0.0
git reset -q --hard HEAD~
printf '# Changelog\n\n## Unreleased\n\n## 0.0.1 (2026-01-01)\nnotes\n' >CHANGELOG.md
git commit -qam "no notes"
refused "no notes" --tests true 9.0.0

export SOURCE_DATE_EPOCH=1700000000
copy dry
before=$(git rev-parse HEAD; git tag)
tools/release.sh --dry-run --tests true 9.0.0 "$work/dry-out" >/dev/null
[ "$before" = "$(git rev-parse HEAD; git tag)" ] || fail "a dry run changed the repository"
for name in first second; do
  copy "$name"
  (umask 077; tools/release.sh --tests true 9.0.0 "$work/$name-out" >"$work/log") ||
    { cat "$work/log"; fail "the release failed"; }
done
grep -q "git push origin main v9.0.0" "$work/log" || fail "does not say what comes next"
unset SOURCE_DATE_EPOCH
tools/release.sh --again 9.0.0 "$work/again-out" >/dev/null
for name in dry second again; do
  diff -r "$work/first-out" "$work/$name-out" || fail "other bytes: $name"
  cases=$((cases + 1))
done
[ "$(git cat-file -t v9.0.0)" = tag ] || fail "the tag is not annotated"
[ "$(git rev-parse 'v9.0.0^{commit}')" = "$(git rev-parse main)" ] || fail "main is not the release"
[ -z "$(git status --porcelain)" ] || fail "the tree has changes"
grep -qx "## 9.0.0 (2023-11-14)" CHANGELOG.md || fail "CHANGELOG.md lacks version and day"
cd "$work/first-out"
sha256sum --quiet -c SHA256SUMS
[ "$(wc -l <SHA256SUMS)" = 4 ] || fail "SHA256SUMS lacks a file"
tar -xf hdb-9.0.0.tar.gz
grep -q "^project(hdb VERSION 9.0.0 " hdb-9.0.0/CMakeLists.txt || fail "the tar file is not 9.0.0"
tar -xf hdb-9.0.0-two-files.tar.gz
head -1 hdb-9.0.0-two-files/hdb.hpp | grep -q "hdb 9.0.0" || fail "the two files are not 9.0.0"
grep -q '"versionInfo": "9.0.0"' hdb-9.0.0.spdx.json || fail "the list of parts is not of 9.0.0"
grep -q "source_hash = $(sha256sum hdb-9.0.0.tar.gz | cut -d' ' -f1)" hdb.wrap || fail "the wrap"
cases=$((cases + 8))
echo "release: cases=$cases failures=0"
