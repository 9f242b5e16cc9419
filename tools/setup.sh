#!/usr/bin/env bash
# Installs the missing Debian packages that hdb needs to build and to run its tests.
# Usage: tools/setup.sh [--demo | --window | --docs | --test | --ci | --mutants | --portability |
#                        --packages]
# The default is --test.
# --ci also installs the newest g++ and clang of the repositories of the system and, by npm, what
# Debian lacks: the Kaitai Struct compiler (build/kaitai), packages of the viewer (build/viewer).
set -euo pipefail

build=(g++ cmake ninja-build pkg-config libcereal-dev libzstd-dev libxxhash-dev libexpected-dev
       libcli11-dev libfmt-dev libutf8proc-dev)
demo=(freedoom)
window=(libsdl2-dev libimgui-dev)
test=(clang-14 libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev python3 python3-numpy
      python3-xxhash python3-zstandard python3-jsonschema python3-yaml libsqlite3-dev libpq-dev
      postgresql file strace libimgui-dev)
docs=(doxygen mandoc python3 python3-markdown-it python3-pygments)
ci=(libc++-14-dev libc++abi-14-dev libclang-rt-14-dev llvm-14 clang-format-14
    clang-tidy-14 lld-14 patch zsh fish man-db groff chromium chromium-driver python3-selenium
    shared-mime-info libglib2.0-bin python3-kaitaistruct gdb lldb-14 python3-lldb-14
    python3-clang-14 libsdl2-dev xvfb xdotool)
mutants=(ccache patch python3-clang-14)

# Compilers for other processors and systems, and what runs their programs.
portability=(g++-i686-linux-gnu g++-aarch64-linux-gnu g++-s390x-linux-gnu qemu-user-static
             g++-mingw-w64-x86-64-posix lld-14 wine64 xz-utils emscripten musl-tools)

packages=(dpkg-dev debhelper lintian libsqlite3-dev libpq-dev mmdebstrap meson)

# Packages of Node.js from elsewhere contain npm.
if ! { command -v node && command -v npm; } >/dev/null; then
  ci+=(nodejs npm)
  mutants+=(nodejs npm)
fi
command -v node >/dev/null || portability+=(nodejs)

mode=${1:---test}
case "$mode" in
  --demo) wanted=("${build[@]}" "${demo[@]}") ;;
  --window) wanted=("${build[@]}" "${demo[@]}" "${window[@]}") ;;
  --docs) wanted=("${build[@]}" "${docs[@]}") ;;
  --test) wanted=("${build[@]}" "${demo[@]}" "${test[@]}") ;;
  --ci) wanted=("${build[@]}" "${demo[@]}" "${test[@]}" "${docs[@]}" "${ci[@]}") ;;
  --mutants) wanted=("${build[@]}" "${demo[@]}" "${test[@]}" "${mutants[@]}") ;;
  --portability) wanted=("${build[@]}" "${test[@]}" "${portability[@]}") ;;
  --packages) wanted=("${build[@]}" "${docs[@]}" "${packages[@]}") ;;
  *) sed -n '2,7s/^# //p' "$0"; exit 2 ;;
esac

# A user who installed the packages in another way sets HDB_SKIP_SETUP.
[ -z "${HDB_SKIP_SETUP:-}" ] || exit 0

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  cat >&2 <<TXT
setup.sh: this system has no apt-get. hdb needs these packages (Debian names):
  ${wanted[*]}
Install a C++20 compiler, CMake >= 3.25, Ninja, cereal, zstd, xxHash, tl-expected, CLI11, fmt,
utf8proc, GoogleTest, RapidCheck and Google Benchmark, and Python 3 with its modules numpy, xxhash,
zstandard, jsonschema and yaml (for the tests), with your system's package manager. For the demo,
also get a DOOM WAD file (option --wad FILE). Then set HDB_SKIP_SETUP=1 and run the command again.
TXT
  exit 1
fi

root=()
[ "$(id -u)" = 0 ] || root=(sudo)
export DEBIAN_FRONTEND=noninteractive
wait_for_lock=(-o DPkg::Lock::Timeout=300)
if [ "$mode" = --ci ]; then
  newest() { apt-cache search --names-only "^$1-[0-9]+\$" | cut -d' ' -f1 | sort -V | tail -1; }
  [ -n "$(newest clang)" ] || "${root[@]}" apt-get "${wait_for_lock[@]}" update >/dev/null
  # shellcheck disable=SC2207  # names of packages have no spaces
  wanted+=($(newest 'g[+][+]') $(newest clang))
fi
missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [ "${status:0:2}" = ii ] || missing+=("$package")
done
# install_packages FOLDER SOURCE WHAT: versions and their checksums are in the lock file of SOURCE.
install_packages() {
  local project source folder
  project=$(cd "$(dirname "$0")/.." && pwd)
  source=$project/$2
  folder=$project/build/$1
  ! cmp -s "$source/package-lock.json" "$folder/installed" || return 0
  echo "setup.sh: installing $3 in build/$1"
  mkdir -p "$folder"
  cp "$source/package.json" "$source/package-lock.json" "$folder"
  npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund >"$folder/npm.log" 2>&1 || {
    cat "$folder/npm.log" >&2
    echo "setup.sh: npm could not install $3; see its output above" >&2
    return 1
  }
  cp "$source/package-lock.json" "$folder/installed"
}
finish() {
  [[ $mode == --ci || $mode == --mutants ]] || return 0
  install_packages viewer tools/viewer "the packages of the viewer"
  [ "$mode" = --ci ] || return 0
  install_packages kaitai tests/descriptions/compiler "the Kaitai Struct compiler"
}

[ ${#missing[@]} -gt 0 ] || { finish; exit; }

if [ ${#root[@]} -gt 0 ] && ! command -v sudo >/dev/null; then
  echo "setup.sh: packages are missing and there is no sudo; as root, run: " \
    "apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "setup.sh: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  "${root[@]}" apt-get "${wait_for_lock[@]}" install -y --no-install-recommends "${missing[@]}" \
    >"$log" 2>&1
}
if ! install; then
  "${root[@]}" apt-get "${wait_for_lock[@]}" update >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  install || {
    cat "$log" >&2
    echo "setup.sh: the installation failed; see the output of apt-get above" >&2
    exit 1
  }
fi
finish
