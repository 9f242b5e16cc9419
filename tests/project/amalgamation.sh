#!/usr/bin/env bash
# The files of tools/packaging/amalgamate.py are compiled without a warning, and a program with them
# saves and loads.
# Usage: tests/project/amalgamation.sh [--windows | --time [FLAGS...]]
# The compiler is that of CXX, or g++.
#   --windows   by MinGW-w64, and the program runs under Wine; zstd and xxHash are compiled from the
#               sources of Debian, in build/sources
#   --time      only prints what compiling the library costs in this way, against the same sources
#               by CMake with CMAKE_UNITY_BUILD: seconds of the processor, medians of 3, for each of
#               the FLAGS (default: -O0 -O2)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=build/amalgamation
compile() { "${compiler[@]}" -std=c++20 "$level" -Wall -Wextra -Werror -I"$out" "$@"; }
compiler=("${CXX:-g++}")
level=-O0
libraries=(-lzstd -lxxhash -pthread)
run=()
windows() { # sets the four above
  local sources=build/sources flags
  out=build/amalgamation/windows
  mkdir -p "$out/include"
  lib/cmake/fetch_sources.sh "$sources" libzstd xxhash
  # Of this system's headers only those that are the same everywhere.
  for folder in cereal tl; do cp -r "/usr/include/$folder" "$out/include"; done
  flags=(-I"$out/include" -I"$sources/libzstd/lib" -I"$sources/xxhash")
  (
    cd "$out"
    x86_64-w64-mingw32-gcc-posix -O1 -w -DZSTD_DISABLE_ASM -c "$OLDPWD/$sources/xxhash/xxhash.c" \
      "$OLDPWD/$sources"/libzstd/lib/{common,compress,decompress}/*.c
    rm -f libneeded.a
    x86_64-w64-mingw32-ar rcs libneeded.a ./*.o
  )
  # Objects of Windows have room for fewer parts than a whole library has; the assembler takes
  # minutes for those of -O0.
  level=-O1
  compiler=(x86_64-w64-mingw32-g++-posix "${flags[@]}" "-Wa,-mbig-obj")
  libraries=("$out/libneeded.a" -static -lntdll -lbcrypt)
  run=(tools/portability/wine.sh)
}
median_of() { # median_of COMMAND...: of its time in user mode and in the system, three times
  local TIMEFORMAT='%U %S'
  for _ in 1 2 3; do
    { time "$@" >"$out/time.log" 2>&1 || { cat "$out/time.log" >&2; return 1; }; } 2>&1
  done | awk '{ print $1 + $2 }' | sort -n | sed -n 2p
}
times() { # times FLAGS...
  local flags two unity
  for flags; do
    two=$(median_of "${compiler[@]}" -std=c++20 "$flags" -c "$out/hdb.cpp" -o "$out/hdb.o")
    cmake -S . -B "$out/unity" -G Ninja -DCMAKE_CXX_COMPILER="${compiler[0]}" \
      -DCMAKE_CXX_COMPILER_LAUNCHER= -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_FLAGS="$flags -w" \
      -DCMAKE_UNITY_BUILD=ON -DHDB_EXTRAS= -DHDB_BUILD_TESTS=OFF -DHDB_BUILD_TOOLS=OFF \
      -DHDB_BUILD_BENCHMARKS=OFF >/dev/null
    unity=$(median_of cmake --build "$out/unity" --clean-first -j 1)
    echo "$flags: two files $two s, CMAKE_UNITY_BUILD $unity s," \
      "ratio $(awk "BEGIN { printf \"%.2f\", $two / $unity }")"
  done
}
[ "${1-}" != --windows ] || windows
python3 tools/packaging/amalgamate.py "$out"
if [ "${1-}" = --time ]; then
  shift
  [ $# -gt 0 ] || set -- -O0 -O2
  times "$@"
  exit
fi
compile -c "$out/hdb.cpp" -o "$out/hdb.o"
# The program also asks for the third file, and for what hdb/debug.hpp and others have.
{
  sed 's,<hdb/hdb.hpp>,"hdb.hpp",' tests/project/consumer/main.cpp
  echo '#include "hdb_cereal_structs.hpp"'
  echo '[[maybe_unused]] static auto* const load_as = &hdb::load_as;'
} >"$out/program.cpp"
compile "$out/program.cpp" "$out/hdb.o" -o "$out/program.exe" "${libraries[@]}"
"${run[@]}" "$out/program.exe" "$out/slot1.hdb" | grep -q "the handles are good"
echo "amalgamation ${compiler[0]}: cases=3 failures=0"
