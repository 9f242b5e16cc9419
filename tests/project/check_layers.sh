#!/bin/sh
# Checks every #include of lib, schema and tools against the table of layers in ARCHITECTURE.md.
#   check_layers.sh [ROOT]     checks the project (default: the one this script is part of)
#   check_layers.sh --self-test    shows that each rule can fail
set -eu

# What each layer may include of hdb, and which libraries only some may include (`all`: hdb.hpp). Mirrors ARCHITECTURE.md, "Layers".
rules='
layer base     base
layer schema   schema base
layer core     core base
layer format   format schema base
layer record   record schema core base
layer database database record core format schema base
layer all      all database record core format schema base
only  tl/       base tools
only  xxhash.h  base
only  zstd      format tools
only  cereal/   record tools
only  fmt/      tools
only  CLI/      tools
only  rapidjson/ tools
only  benchmark/ tools
'

check() {  # check ROOT: prints each offence, fails if there was one
  root=$1
  (cd "$root" && find lib schema tools -name '*.[hc]pp' 2>/dev/null | sort) > "$list"
  (cd "$root" && RULES=$rules awk '
    BEGIN {
      n = split(ENVIRON["RULES"], lines, "\n")
      for (i = 1; i <= n; ++i) {
        m = split(lines[i], word, " ")
        if (word[1] == "layer") for (j = 3; j <= m; ++j) allowed[word[2], word[j]] = 1
        if (word[1] == "only") {
          owners[word[2]] = lines[i]
          for (j = 3; j <= m; ++j) owns[word[2], word[j]] = 1
        }
      }
    }
    function offence(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
    function layer_of(file,   part) {
      split(file, part, "/")
      if (part[1] == "tools") return "tools"
      if (part[1] == "schema") return "schema"
      if (file == "lib/include/hdb/core.hpp") return "core"  # compiles without exceptions and RTTI
      if (file ~ /^lib\/include\/hdb\/[a-z_]+\.hpp$/) return "all"
      return part[2] == "src" ? part[3] : part[4]
    }
    function exists(path,   line, status) {
      if (!(path in known)) { status = (getline line < path); close(path); known[path] = status >= 0 }
      return known[path]
    }
    function folder_of(file) { sub(/[^\/]*$/, "", file); return file }
    FNR == 1 { layer = layer_of(FILENAME) }
    /^[ \t]*#[ \t]*include/ {
      name = $0
      sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", name)
      sub(/[>"].*$/, "", name)
      if (name ~ /\.\.\//) { offence("includes through \"..\": " name); next }
      if (name ~ /^hdb\//) {
        public = exists("lib/include/" name) || exists("schema/include/" name)
        if (!public) { offence("no public header: " name); next }
        if (layer == "tools") next
        split(name, part, "/")
        target = part[3] == "" ? "all" : part[2]
        if (!((layer, target) in allowed)) offence(layer " may not include " target ": " name)
        next
      }
      for (prefix in owners) {
        if (index(name, prefix) == 1 && !((prefix, layer) in owns)) {
          offence(layer " may not include " name ": rule \"" owners[prefix] "\"")
        }
      }
      if (index($0, "\"") && layer != "tools" && !exists(folder_of(FILENAME) name)) {
        offence("not in the layer'\''s own folder: " name)
      }
    }
    END { exit bad }' $(cat "$list"))
}

expect() {  # expect pass|fail FILE INCLUDE
  mkdir -p "$tree/$(dirname "$2")"
  printf '#include %s\n' "$3" > "$tree/$2"
  if check "$tree" > "$tree/output" 2>&1; then result=pass; else result=fail; fi
  if [ "$result" != "$1" ]; then
    echo "self-test: $2 with #include $3: expected $1" >&2
    cat "$tree/output" >&2
    exit 1
  fi
  rm "$tree/$2"
  cases=$((cases + 1))
}

self_test() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree" "$list"' EXIT
  cases=0
  for layer in base core record format database; do
    mkdir -p "$tree/lib/include/hdb/$layer"
    : > "$tree/lib/include/hdb/$layer/a.hpp"
  done
  mkdir -p "$tree/schema/include/hdb/schema"
  : > "$tree/schema/include/hdb/schema/a.hpp"
  : > "$tree/lib/include/hdb/hdb.hpp"
  expect pass lib/src/database/b.cpp '"hdb/record/a.hpp"'
  expect pass lib/src/format/b.cpp '"hdb/schema/a.hpp"'
  expect pass lib/include/hdb/record/b.hpp '<cereal/cereal.hpp>'
  expect pass lib/src/core/b.cpp '<vector>'
  expect pass tools/demo/b.cpp '<hdb/hdb.hpp>'
  expect pass tools/demo/b.cpp '"own.hpp"'
  expect fail lib/src/base/b.cpp '"hdb/core/a.hpp"'
  expect fail schema/src/b.cpp '"hdb/core/a.hpp"'
  expect fail lib/src/core/b.cpp '"hdb/schema/a.hpp"'
  expect fail lib/src/core/b.cpp '"hdb/hdb.hpp"'
  expect fail lib/include/hdb/format/b.hpp '"hdb/core/a.hpp"'
  expect fail lib/include/hdb/record/b.hpp '"hdb/format/a.hpp"'
  expect fail lib/include/hdb/core.hpp '"hdb/record/a.hpp"'
  expect fail lib/src/database/b.cpp '<cereal/cereal.hpp>'
  expect fail lib/src/database/b.cpp '<zstd.h>'
  expect fail lib/src/format/b.cpp '<xxhash.h>'
  expect fail lib/src/database/b.cpp '"private_of_another.hpp"'
  expect fail tools/demo/b.cpp '"../../lib/src/database/a.hpp"'
  expect fail tools/demo/b.cpp '"hdb/database/missing.hpp"'
  echo "layers self-test: cases=$cases failures=0"
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
if [ "${1:-}" = --self-test ]; then
  self_test
else
  check "${1:-$(dirname "$0")/../..}"
  echo "layers: cases=$(wc -l < "$list") failures=0"
fi
