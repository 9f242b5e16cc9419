#!/usr/bin/env bash
# Compiles the promised headers and the program of README.md with one compiler in C++20, 23 and 26
# (more of what is inline is compiled at its declaration there), without assertions, and by clang++
# with libc++, with the warnings that users switch on, which are errors here; hdb/core.hpp also
# without RTTI and exceptions. Warnings apply to headers of hdb (-I), not to those of cereal, EnTT
# and Dear ImGui (-isystem).
# Usage: language_modes.sh ROOT COMPILER [FOLDER...]
#        language_modes.sh --self-test ROOT COMPILER
#   FOLDER       has the headers of a library that hdb uses
#   COMPILER     a command, or newest:g++ or newest:clang++ for the newest that is installed
#   --self-test  shows that each kind of offence is found
# What is not run is named. Exit status 77 (skipped) if the compiler is not installed or is tested
# under its own name; with CI=true, a compiler that is not installed is a failure.
set -euo pipefail
oldest="g++-12 clang++-14"  # as README.md, "tested"

self_test=
[ "$1" != --self-test ] || { self_test=1; shift; }
root=$1
compiler=$2
shift 2
libraries=()
for folder in "$@"; do
  case $folder in '' | /usr/include) ;; *) libraries+=(-isystem "$folder") ;; esac
done

not_run() { # not_run TEXT
  echo "$1: not run"
  [ "${CI:-}" != true ] || [ "${2:-}" = excused ] || exit 1
  exit 77
}
if [[ $compiler == newest:* ]]; then
  family=${compiler#newest:}
  compiler=$(compgen -c "$family-" | grep -xE "${family//+/[+]}-[0-9]+" | sort -uV | tail -1 ||
    true)
  [ -n "$compiler" ] || compiler=$family
  [[ " $oldest " != *" $compiler "* ]] ||
    not_run "$compiler is the newest that is installed and has its own test" excused
fi
command -v "$compiler" >/dev/null || not_run "$compiler is not installed"

warnings=(-Wall -Wextra -Wconversion -Wshadow -Wold-style-cast -Werror)
[[ $compiler == *clang* ]] || warnings+=(-Wuseless-cast)
includes=(-I"$root/lib/include" -I"$root/schema/include" -I"$root/lib/extras/archive/include"
          -I"$root/lib/extras/entt/include" -I"$root/lib/extras/imgui/include")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cases=0
failures=0

compiles() { # compiles MODE FILE [OPTION...]
  local mode=$1 file=$2
  shift 2
  "$compiler" "-std=$mode" -fsyntax-only -I"$work" "${includes[@]}" "${libraries[@]}" \
    "${warnings[@]}" "$@" "$work/$file" >"$work/output" 2>&1
}
require() { # require MODE FILE [OPTION...]
  cases=$((cases + 1))
  compiles "$@" || {
    failures=$((failures + 1))
    echo "$compiler -std=$1 ${*:3}: $2 does not compile without a warning"
    head -20 "$work/output"
  }
}

if [ -n "$self_test" ]; then
  echo '#include "planted.hpp"' >"$work/planted.cpp"
  refuse() { # refuse LINE [OPTION...]: the header that is this line is refused
    local line=$1
    shift
    cases=$((cases + 1))
    printf '#pragma once\n%s\n' "$line" >"$work/planted.hpp"
    ! compiles c++20 planted.cpp "$@" || {
      failures=$((failures + 1))
      echo "$compiler: a header with this line is not refused: $line"
    }
  }
  printf '#pragma once\ninline int f() { return 1; }\n' >"$work/planted.hpp"
  require c++20 planted.cpp -fno-rtti -fno-exceptions
  refuse 'inline int f(double x) { return (int)x; }'
  refuse 'inline int f(long x) { return x; }'
  refuse 'inline int f(int x) { if (x) { int x = 2; return x; } return x; }'
  refuse 'inline int f() { int x = 1; return 2; }'
  refuse 'inline int f() { return missing; }'
  refuse 'inline void f() { throw 1; }' -fno-rtti -fno-exceptions
  refuse '#include <typeinfo>
    inline bool f() { return typeid(1) == typeid(2); }' -fno-rtti -fno-exceptions
  [[ $compiler == *clang* ]] || refuse 'inline int f(int x) { return static_cast<int>(x); }'
  echo "language modes self-test, $compiler: cases=$cases failures=$failures"
  exit $((failures > 0))
fi

headers=(fwd core hdb inspect archive imgui_browser)
echo '#include <entt/entt.hpp>' >"$work/entt.cpp"
if compiles c++20 entt.cpp; then
  headers+=(entt)
else
  echo "hdb/entt.hpp: not run with $compiler, for EnTT is not found or does not compile itself"
fi
echo '#include <imgui.h>' >"$work/imgui.cpp"
if compiles c++20 imgui.cpp; then
  headers+=(imgui)
else
  echo "hdb/imgui.hpp: not run with $compiler, for Dear ImGui is not found"
fi
for header in "${headers[@]}"; do
  echo "#include <hdb/$header.hpp>" >"$work/hdb_$header.cpp"
done
awk '/^```cpp$/ { f = 1; next } /^```$/ { if (f) exit } f' "$root/README.md" >"$work/readme.cpp"
[ -s "$work/readme.cpp" ] || { echo "README.md has no program"; exit 1; }
{
  (cd "$root" && for folder in {lib,schema}/include lib/extras/archive/include; do
    (cd $folder && find hdb -name '*.hpp' ! -path '*/detail/*' | sort)
  done) | sed 's/.*/#include <&>/'
  cat "$work"/hdb_*.cpp "$work/readme.cpp"
} >"$work/all.cpp"

echo 'int main() {}' >"$work/empty.cpp"
# Umbrella headers alone, and all headers at once with the program of README.md.
for header in "${headers[@]}"; do require c++20 "hdb_$header.cpp"; done
for year in 20 23 26; do
  mode=c++$year
  draft=2$(tr 036 abc <<<"${year#2}")  # names from before the standard: c++2a, c++2b, c++2c
  compiles "$mode" empty.cpp || mode=c++$draft
  compiles "$mode" empty.cpp ||
    { echo "C++$year: not run, for $compiler does not have it"; continue; }
  require "$mode" all.cpp
  require "$mode" hdb_core.cpp -fno-rtti -fno-exceptions
done
if [[ $compiler == *clang* ]]; then
  echo '#include <vector>' >"$work/libcxx.cpp"
  if compiles c++20 libcxx.cpp -stdlib=libc++; then
    require c++2b all.cpp -stdlib=libc++
  else
    echo "libc++: not run, for $compiler does not find it"
  fi
fi
# Other code without assertions.
require c++20 all.cpp -DNDEBUG
# Then addresses of functions are not constants for g++.
require c++20 readme.cpp -fsanitize=undefined
echo "language modes, $compiler: cases=$cases failures=$failures"
exit $((failures > 0))
