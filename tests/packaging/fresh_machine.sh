#!/usr/bin/env bash
# Installs packages of hdb on a fresh, minimal Debian, uses them there and purges them.
# Usage: tests/packaging/fresh_machine.sh [PACKAGES]   (default: build/packages)
# The machine is a folder that mmdebstrap fills from the package sources of Debian and deletes at
# the end. As root it is a chroot; a user needs user namespaces for it.
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=$(realpath "${1:-build/packages}")
command -v mmdebstrap >/dev/null ||
  { echo "fresh_machine.sh: mmdebstrap is missing (Debian: mmdebstrap)" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/hdb/packages" "$work/hdb/source"
find "$packages" -maxdepth 1 \( -name '*.deb' ! -name '*-dbgsym_*' -o -name 'libhdb[0-9]*' \) \
  -exec cp -t "$work/hdb/packages" {} +
git archive HEAD | tar -x -C "$work/hdb/source"
mv "$work/hdb/source/tools/packaging/debian" "$work/hdb/source/debian"
chmod -R a+rX "$work"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016  # mmdebstrap sets $1 to the folder
mmdebstrap --quiet --variant=apt --format=null \
  --customize-hook="copy-in '$work/hdb' /" \
  --customize-hook='chroot "$1" bash /hdb/source/tests/packaging/install_and_purge.sh' \
  "$release" /dev/null
