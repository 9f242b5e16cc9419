#!/usr/bin/env bash
# Fetches sources of libraries as Debian published them, and unpacks them. For HDB_BUNDLED.
# Usage: fetch_sources.sh FOLDER SOURCE...   (SOURCE: the name of a Debian source package)
# apt checks the signature of what it fetches. The system's own package lists stay as they are.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
folder=$1
shift
command -v apt-get >/dev/null || {
  echo "fetch_sources.sh: this system has no apt-get. Unpack release archives of $* in $folder" >&2
  exit 1
}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
wanted=()
for source in "$@"; do
  [ -d "$folder/$source" ] || wanted+=("$source")
done
[ ${#wanted[@]} -gt 0 ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Where this system gets its packages from is where the sources are.
if ! uri=$(apt-get download --print-uris dpkg 2>"$work/log" | sed -n "s,^'\(.*\)/pool/.*,\1,p") ||
  [ -z "$uri" ]; then
  cat "$work/log" >&2
  echo "fetch_sources.sh: apt knows no packages; run apt-get update" >&2
  exit 1
fi
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
key=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb-src [signed-by=$key] $uri $release main" >"$work/sources.list"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
options=(-q -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
         -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
cd "$work"
{
  apt-get "${options[@]}" update &&
    apt-get "${options[@]}" source --download-only --only-source "${wanted[@]}"
} >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  echo "fetch_sources.sh: the sources could not be fetched; see the output of apt-get above" >&2
  exit 1
}
for source in "${wanted[@]}"; do
  mkdir "$work/$source"
  archive=$(find "$work" -maxdepth 1 -name "${source}_*.orig.tar.*" ! -name '*.asc')
  tar -xf "$archive" -C "$work/$source" --strip-components=1
  mv "$work/$source" "$folder/"
done
