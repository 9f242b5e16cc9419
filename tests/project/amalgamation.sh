#!/usr/bin/env bash
# The two files of tools/packaging/amalgamate.py are compiled without a warning, and a program with
# them saves and loads. Usage: tests/project/amalgamation.sh   (compiler: CXX, default g++)
set -euo pipefail
cd "$(dirname "$0")/../.."
out=build/amalgamation
python3 tools/packaging/amalgamate.py "$out"
compile() { "${CXX:-g++}" -std=c++20 -O0 -Wall -Wextra -Werror -I"$out" "$@"; }
compile -c "$out/hdb.cpp" -o "$out/hdb.o"
sed 's,<hdb/hdb.hpp>,"hdb.hpp",' tests/project/consumer/main.cpp >"$out/program.cpp"
compile "$out/program.cpp" "$out/hdb.o" -o "$out/program" -lzstd -lxxhash -pthread
"$out/program" "$out/slot1.hdb" | grep -q "the handles are good"
echo "amalgamation: cases=3 failures=0"
