#!/usr/bin/env bash
# Builds the Debian packages of what is committed, and looks at them with lintian.
# Usage: tools/packaging/debian.sh [--twice] [OUT]   (default OUT: build/packages)
#   --twice   builds them two times, in folders of other names, the second time with another umask,
#             time zone and language, and compares every byte
# The maintainer is who builds them: DEBFULLNAME and DEBEMAIL, or the user of git.
set -euo pipefail
cd "$(dirname "$0")/../.."
twice=
[ "${1-}" != --twice ] || { twice=1; shift; }
out=$(realpath -m "${1:-build/packages}")
for tool in dpkg-buildpackage:dpkg-dev dh:debhelper lintian:lintian; do
  command -v "${tool%:*}" >/dev/null ||
    { echo "debian.sh: ${tool%:*} is missing (Debian: ${tool#*:})" >&2; exit 1; }
done
commit=$(git rev-parse HEAD)  # of both builds
version=$(sed -n 's/^project(hdb VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
date=$(git log -1 --format=%cd --date=rfc2822)
maintainer="${DEBFULLNAME:-$(git log -1 --format=%an)} <${DEBEMAIL:-$(git log -1 --format=%ae)}>"
fill() { # fill FILE: its text with the names of this version
  sed -e "s/@VERSION@/$version/g; s/@SO@/${version%.*}/g; s/@C_SO@/$c_abi/g; s/@DATE@/$date/g" \
    -e "s/@MAINTAINER@/$maintainer/g" "$1"
}
c_abi=$(sed -n 's/^#define HDB_C_ABI //p' lib/extras/c/include/hdb/c.h)

# The source package in a folder of its own; its tar file has the same bytes each time.
make_source() { # make_source FOLDER
  local tree=$1/hdb-$version file name
  rm -rf "$1"
  mkdir -p "$tree"
  git archive "$commit" | tar -x -C "$tree"
  rm -rf "$tree/tools/packaging/debian"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u+rw,go+r-w,a+X \
    --mtime="$date" -C "$1" \
    -cJf "$1/hdb_$version.orig.tar.xz" "hdb-$version"
  cp -r tools/packaging/debian "$tree/debian"
  find "$tree/debian" -name '*.in' | while read -r file; do
    name=${file%.in}
    name=${name/libhdb-c./libhdb-c$c_abi.}
    fill "$file" >"${name/libhdb./libhdb${version%.*}.}"
    rm "$file"
  done
}
build() { # build FOLDER
  make_source "$1"
  (cd "$1/hdb-$version" && dpkg-buildpackage -us -uc -j"$(nproc)") >"$1/build.log" 2>&1 ||
    { tail -40 "$1/build.log"; echo "debian.sh: the build failed; see $1/build.log" >&2; exit 1; }
}
build "$out"
# No bug of Debian asks for the packages.
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$out"/*.changes
if [ -n "$twice" ]; then
  (umask 077; export TZ=Asia/Kathmandu LC_ALL=C.UTF-8 LANGUAGE=fr; build "$out-again")
  for package in "$out"/*.deb "$out"/*.orig.tar.xz; do
    cmp "$package" "$out-again/${package##*/}"
  done
  echo "debian.sh: both builds have the same bytes"
fi
ls "$out"/*.deb
