#!/usr/bin/env bash
# Makes a release from the main branch: a commit with the version, a tag, and the files to publish.
# Publishes nothing: the last lines say what a person does next.
# Usage: tools/release.sh [--dry-run] [--tests COMMAND] VERSION [OUT]
#        tools/release.sh --again VERSION [OUT]
#   OUT               folder of the files (default: build/release-VERSION)
#   --dry-run         the repository gets neither commit nor tag
#   --tests COMMAND   what must succeed first (default: tools/test.sh --ci)
#   --again           only writes the files of a tagged release once more: the same bytes
# The day in CHANGELOG.md is that of SOURCE_DATE_EPOCH, if it is set.
set -euo pipefail
cd "$(dirname "$0")/.."
die() { echo "release.sh: $*" >&2; exit 1; }
dry_run=
again=
tests="tools/test.sh --ci"
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry_run=1 ;;
    --again) again=1 ;;
    --tests) [ $# -ge 2 ] || die "--tests needs a command"; tests=$2; shift ;;
    -*) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
    *) break ;;
  esac
  shift
done
version=${1-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "the version must be like 1.2.3: '$version'"
out=$(realpath -m "${2:-build/release-$version}")
tag=v$version
[ ! -e "$out" ] || die "$out exists; name another folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

check() {
  local last notes
  [ "$(git symbolic-ref -q --short HEAD)" = main ] || die "releases are made on the branch main"
  [ -z "$(git status --porcelain)" ] || die "the tree has changes that are not committed"
  last=$(git tag -l 'v*' | sort -V | tail -1)
  [ "$(printf '%s\n' "$last" "$tag" | sort -V | tail -1)" = "$tag" ] && [ "$last" != "$tag" ] ||
    die "$version is not above the last release, $last"
  notes=$(sed -n '/^## Unreleased/,/^## [0-9]/{/^## /d;/./p}' CHANGELOG.md)
  [ -n "$notes" ] || die "CHANGELOG.md has no notes below '## Unreleased'"
  bash -c "$tests" || die "the tests failed: $tests"
}
# The version stands in CMakeLists.txt; files that cannot read it there are edited as well.
commit() {
  local epoch=${SOURCE_DATE_EPOCH:-$(date +%s)} old
  old=$(sed -n 's/^project(hdb VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
  (
    cd "$tree"
    sed -i "s/^project(hdb VERSION $old/project(hdb VERSION $version/" CMakeLists.txt
    sed -i "s/\"version\": \"$old\"/\"version\": \"$version\"/" \
      tools/packaging/vcpkg/hdb/vcpkg.json tools/viewer/reader/package.json
    sed -i "s/find_package(hdb ${old%.*} /find_package(hdb ${version%.*} /" \
      tests/project/consumer/CMakeLists.txt tests/project/c_consumer/CMakeLists.txt
    sed -i "s/^## Unreleased.*/## $version ($(date -u -d "@$epoch" +%F))/" CHANGELOG.md
    python3 -B tests/project/check_recipes.py . >"$work/recipes.log" ||
      { cat "$work/recipes.log"; die "the version stands elsewhere, too"; }
    export GIT_AUTHOR_DATE="@$epoch +0000" GIT_COMMITTER_DATE="@$epoch +0000"
    git commit -qam "release: hdb $version"
    git tag -a -m "hdb $version" "$tag"
  )
}
files() {
  local name=hdb-$version epoch
  epoch=$(git -C "$tree" log -1 --format=%ct "$tag")
  mkdir -p "$work/out" "$work/$name-two-files"
  git -C "$tree" -c tar.umask=0022 archive --format=tar --prefix="$name/" "$tag" |
    gzip -n >"$work/out/$name.tar.gz"
  (cd "$tree" && python3 -B tools/packaging/amalgamate.py "$work/$name-two-files" >/dev/null)
  tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rw,go=r,a+X --mtime="@$epoch" \
    -C "$work" -c "$name-two-files" | gzip -n >"$work/out/$name-two-files.tar.gz"
  SOURCE_DATE_EPOCH=$epoch python3 -B "$tree/tools/packaging/sbom.py" "$work/out/$name.spdx.json"
  cd "$work/out"
  sed -e "s/@VERSION@/$version/g; s/@SHA256@/$(sha256sum "$name.tar.gz" | cut -d' ' -f1)/" \
    "$tree/tools/packaging/meson/hdb.wrap.in" >hdb.wrap
  sha256sum -- * >SHA256SUMS
  cd "$OLDPWD"
  mkdir -p "$(dirname "$out")"
  cp -r "$work/out" "$out"
}

[ -z "$again" ] || git rev-parse -q --verify "refs/tags/$tag" >/dev/null || die "no tag $tag"
[ -n "$again" ] || check
git clone -q --no-hardlinks . "$tree"
for key in name email; do
  git -C "$tree" config "user.$key" "$(git config "user.$key" || echo hdb)"
done
if [ -n "$again" ]; then git -C "$tree" checkout -q "$tag"; else commit; fi
files
if [ -z "$again$dry_run" ]; then
  git fetch -q "$tree" "refs/tags/$tag:refs/tags/$tag"
  git merge -q --ff-only "$tag^{commit}"
fi
(cd "$out" && cat SHA256SUMS)
[ -z "$again" ] || exit 0
[ -z "$dry_run" ] || { echo "release.sh: a dry run: the repository is as it was"; exit 0; }
cat <<TXT
hdb $version is committed and tagged here, and its files are in $out. Next, a person
  reads them:            git show $tag
  signs the sums:        gpg --armor --detach-sign $out/SHA256SUMS
  builds the packages:   tools/packaging/debian.sh --twice
  publishes:             git push origin main $tag, and uploads the files
TXT
