#!/usr/bin/env bash
# What compiling with hdb costs: compiles one case and prints one number. The rows compile_* of
# hdb_bench call it.
# Usage: compile.sh CASE
# Times are seconds of the processor in user mode, sizes are bytes.
#   time include hdb       hdb/hdb.hpp alone
#   time include standard  the standard headers that headers of hdb include, and cereal/cereal.hpp
#   time include entt      entt/entity/registry.hpp
#   time program hdb       the program of README.md, -O2
#   time program cereal    the same record, saved and loaded by cereal alone
#   time records N         a program with N record types
#   size records N         code and data of its object file
# Environment: COMPILER, INCLUDES (folders, separated by colons) and PROGRAM (the program of
# README.md).
set -euo pipefail
IFS=: read -ra folders <<<"$INCLUDES"
includes=()
for folder in "${folders[@]}"; do
  case $folder in '' | /usr/include) ;; *) includes+=(-I"$folder") ;; esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/source.cpp
object=$work/object.o

standard_headers() {
  local own
  echo '#include <hdb/hdb.hpp>' >"$work/all.cpp"
  own=$("$COMPILER" -std=c++20 "${includes[@]}" -M "$work/all.cpp" | tr -s ' \\' '\n' |
    grep -E '/hdb/[^ ]*[.]hpp$')
  # shellcheck disable=SC2086  # one word for each header
  sed -nE 's/^ *# *include <([a-z_]+)>.*/#include <\1>/p' $own | sort -u
  echo '#include <cereal/cereal.hpp>'
}
program_of_cereal() {
  cat <<'CPP'
#include <cereal/archives/binary.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>

struct Monster {
  std::string name;
  std::int32_t hp = 100;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, hp);
  }
};

int main() {
  std::vector<Monster> monsters;
  monsters.push_back({"imp", 40});
  {
    std::ofstream file("slot1.bin", std::ios::binary);
    cereal::BinaryOutputArchive archive(file);
    archive(monsters);
  }
  std::ifstream file("slot1.bin", std::ios::binary);
  cereal::BinaryInputArchive archive(file);
  archive(monsters);
  std::printf("%s has %d hp\n", monsters.at(0).name.c_str(), monsters.at(0).hp);
}
CPP
}
program_of_records() { # program_of_records N
  local i
  printf '#include <hdb/hdb.hpp>\n'
  for ((i = 0; i < $1; ++i)); do
    cat <<CPP
struct R$i {
  std::string name;
  std::int32_t hp = 100;
  float x = $i;
  hdb::Handle<R$i> target;
};
void use(hdb::Database& db, hdb::Table<R$i>*) {
  auto& table = db.create_table<R$i>("table $i");
  const hdb::Handle<R$i> handle = table.insert({.name = "imp"});
  table.edit(handle)->hp -= 60;
  if (table.find(handle) == nullptr) table.erase(handle);
}
CPP
  done
  printf 'int main() {\n  hdb::Database db;\n'
  for ((i = 0; i < $1; ++i)); do
    printf '  use(db, static_cast<hdb::Table<R%d>*>(nullptr));\n' "$i"
  done
  printf '  return hdb::save(db.capture(), "slot1.hdb") ? 0 : 1;\n}\n'
}
time_of() { # time_of OPTION...
  local TIMEFORMAT=%U
  { time "$COMPILER" -std=c++20 "${includes[@]}" "$@" "$source" 2>"$work/errors"; } 2>&1 ||
    { cat "$work/errors" >&2; exit 1; }
}
compile() { time_of -O2 -c -o "$object"; }

case "$*" in
  'time include hdb') echo '#include <hdb/hdb.hpp>' >"$source"; time_of -fsyntax-only ;;
  'time include standard') standard_headers >"$source"; time_of -fsyntax-only ;;
  'time include entt')
    echo '#include <entt/entity/registry.hpp>' >"$source"; time_of -fsyntax-only ;;
  'time program hdb') cp "$PROGRAM" "$source"; compile ;;
  'time program cereal') program_of_cereal >"$source"; compile ;;
  'time records '*) program_of_records "$3" >"$source"; compile ;;
  'size records '*)
    program_of_records "$3" >"$source"; compile >"$work/time"
    size "$object" | awk 'NR == 2 { print $4 }' ;;
  *) sed -n '4,14s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
