#!/usr/bin/env bash
# Runs as root on the machine of fresh_machine.sh: installs the packages, runs the programs of
# debian/tests, purges the packages and requires that nothing of them is left.
set -euo pipefail
cd /hdb
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
apt() {
  apt-get -qq -y --no-install-recommends "$@" >apt.log 2>&1 || { cat apt.log; exit 1; }
}
files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /hdb -o -path /tmp \) \
    -prune -o -print | sort
}
# shellcheck disable=SC2046  # one word for each package
apt install $(sed -n 's/^Depends: @,//p' source/debian/tests/control | tr -d ,)
files >before
mapfile -t names < <(for package in packages/*.deb; do dpkg-deb -f "$package" Package; done)
apt install ./packages/*.deb
mkdir work
(cd source && AUTOPKGTEST_TMP=/hdb/work sh debian/tests/programs)
apt purge "${names[@]}"
if grep "not empty so not removed" apt.log; then exit 1; fi
# What came with the libraries that the packages need is theirs.
files | comm -13 before - | grep -vxFf <(cat /var/lib/dpkg/info/*.list) |
  grep -vE '^/var/(lib/(dpkg|apt)|cache|log)/|/__pycache__(/|$)' >left || true
# man keeps pages that it showed in a cache of its own.
mapfile -t own < <(find / -xdev -name '*hdb*' -not -path '/hdb*' -not -path '/proc/*' \
  -not -path '/sys/*' -not -path '/var/cache/man/*')
if [ -s left ] || [ ${#own[@]} -gt 0 ] || dpkg -l "${names[@]}" 2>/dev/null | grep -q '^rc'; then
  echo "after the purge these are left:"; cat left; printf '%s\n' "${own[@]}"
  exit 1
fi
echo "packages: cases=${#names[@]} failures=0"
