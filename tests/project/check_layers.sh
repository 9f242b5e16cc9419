#!/bin/sh
# Checks every #include of lib, schema and tools against the table of layers in ARCHITECTURE.md.
#   check_layers.sh [ROOT]     checks the project (default: the one this script is part of)
#   check_layers.sh --self-test    shows that each rule can fail
set -eu

# The layers that each layer may include, the promised headers of each layer, and the libraries that
# only some layers may include. The own folders of a layer are lib/src/LAYER and
# include/hdb/detail/LAYER; hdb/inspect/ belongs to inspect except for the headers named here. An
# extra is a layer in lib/extras/LAYER, with its public headers in include/. `all` includes
# everything. Mirrors ARCHITECTURE.md, "Layers".
rules='
extras archive c entt imgui postgres
layer base     base
layer schema   schema base
layer files    files base
layer core     core schema base
layer format   format schema base
layer inspect  inspect format schema base
layer evolve   evolve inspect format schema base
layer record   record evolve schema core base
layer database database record evolve core files inspect format schema base
layer c        c database record evolve core files inspect format schema base
layer entt     entt database record evolve core files inspect format schema base
layer imgui    imgui database record evolve core files inspect format schema base
layer archive  archive postgres database record evolve core files inspect format schema base
layer postgres archive postgres files format schema base
layer all      all database record evolve core files inspect format schema base
header base     assert byte_io bytes error error_codes executor fwd hash io inspect/text
header schema   handle record_traits
header schema   field table_options translate_handle inspect/constants inspect/schema
header schema   inspect/table_schema
header files    atomic_file file_options file_system
header core     core any_handle bound_handle table blob_table component_table sidecar ref
header core     page_source
header format   chunk_cache file_info write_options inspect/checks inspect/image inspect/reader
header evolve   dynamic_value inspect/compat load_change migration
header record   box cereal_boxes cereal_handles cereal_structs one_of
header database autosaver changes database debug history import load resource_table save
header database save_directory
header database live_table singleton snapshot sync_test
header database inspect/load_as inspect/snapshot_diff
header c        c.h
header entt     entt
header imgui    imgui imgui_browser
header archive  archive archive_backend
header all      hdb inspect
only  tl/       base tools
only  xxhash.h  base
only  zstd      format tools
only  cereal/   record tools
only  entt/     entt tools
only  imgui.h  imgui tools
only  fmt/      tools
only  CLI/      tools
only  rapidjson/ tools
only  benchmark/ tools
'

check() {  # check ROOT: prints each offence, fails if there was one
  root=$1
  (cd "$root" && find lib schema tools -name '*.[hc]pp' -o -name '*.h' 2>/dev/null | sort) > "$list"
  (cd "$root" && RULES=$rules awk '
    BEGIN {
      n = split(ENVIRON["RULES"], lines, "\n")
      for (i = 1; i <= n; ++i) {
        m = split(lines[i], word, " ")
        if (word[1] == "layer") for (j = 3; j <= m; ++j) allowed[word[2], word[j]] = 1
        if (word[1] == "extras") for (j = 2; j <= m; ++j) extras[word[j]] = 1
        if (word[1] == "header") for (j = 3; j <= m; ++j) layer_of_header[word[j]] = word[2]
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
      if (part[2] == "src" || part[2] == "extras") return part[3]
      return layer_of_name(substr(file, length("lib/include/") + 1))
    }
    function is_installed(file) { return file ~ /^lib\/(extras\/[a-z]+\/)?include\// }
    function is_public(name,   extra) {
      if (exists("lib/include/" name) || exists("schema/include/" name)) return 1
      for (extra in extras) if (exists("lib/extras/" extra "/include/" name)) return 1
      return 0
    }
    function layer_of_name(name,   part) {  # name: hdb/...
      split(name, part, "/")
      if (part[2] == "detail") return part[3]
      name = substr(name, length("hdb/") + 1)
      sub(/\.(hpp|def)$/, "", name)
      if (name in layer_of_header) return layer_of_header[name]
      return part[2] == "inspect" ? "inspect" : "unknown"
    }
    function exists(path,   line, status) {
      if (!(path in known)) {
        status = (getline line < path)
        close(path)
        known[path] = status >= 0
      }
      return known[path]
    }
    function folder_of(file) { sub(/[^\/]*$/, "", file); return file }
    FNR == 1 {
      layer = layer_of(FILENAME)
      # Two files of one name in a layer cannot be distinguished in messages and searches.
      base = FILENAME
      sub(/.*\//, "", base)
      if (FILENAME ~ /^lib\/(src|extras|include\/hdb\/detail)\//) {
        if ((layer, base) in path_of) offence("the layer already has " path_of[layer, base])
        path_of[layer, base] = FILENAME
      }
    }
    /^[ \t]*#[ \t]*include/ {
      name = $0
      sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", name)
      sub(/[>"].*$/, "", name)
      if (name ~ /\.\.\//) { offence("includes through \"..\": " name); next }
      if (name ~ /^hdb\//) {
        if (!is_public(name)) { offence("no public header: " name); next }
        if (layer == "tools") {
          if (name ~ /^hdb\/detail\// && FILENAME !~ /^tools\/bench\//)
            offence("tools use promised headers only: " name)
          next
        }
        if (FILENAME ~ /^lib\/include/)
          reaches[substr(FILENAME, length("lib/include/") + 1), name] = 1
        target = layer_of_name(name)
        if (!((layer, target) in allowed)) offence(layer " may not include " target ": " name)
        next
      }
      for (prefix in owners) {
        if (index(name, prefix) == 1 && !((prefix, layer) in owns)) {
          offence(layer " may not include " name ": rule \"" owners[prefix] "\"")
        }
      }
      if (index($0, "\"") && layer != "tools") {
        split(name, part, "/")
        found = exists("lib/src/" name) || exists("lib/extras/" name)
        if (layer == "schema") found = exists(folder_of(FILENAME) name)
        if (!found) {
          offence("no private header: " name)
        } else if (layer != "schema" && !((layer, part[1]) in allowed)) {
          offence(layer " may not include " part[1] ": " name)
        } else if (is_installed(FILENAME)) {
          offence("a header that is installed may not include a private one: " name)
        }
      }
    }
    # Headers for games must not include a header of the inspector, directly or indirectly.
    function visit(name,   pair, part) {
      if (name in seen) return
      seen[name] = 1
      if (name ~ /^hdb\/inspect[\/.]/) { printf "hdb/hdb.hpp reaches %s\n", name; bad = 1 }
      for (pair in reaches) {
        split(pair, part, SUBSEP)
        if (part[1] == name) visit(part[2])
      }
    }
    END { visit("hdb/hdb.hpp"); exit bad }' $(cat "$list"))
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
  for layer in base core record evolve format inspect database files; do
    mkdir -p "$tree/lib/include/hdb/detail/$layer" "$tree/lib/src/$layer"
    : > "$tree/lib/include/hdb/detail/$layer/a.hpp"
    echo "// private" > "$tree/lib/src/$layer/private.hpp"
  done
  mkdir -p "$tree/schema/include/hdb/detail/schema" "$tree/lib/include/hdb/inspect"
  : > "$tree/schema/include/hdb/detail/schema/a.hpp"
  for header in hdb table save_directory inspect/reader inspect/diff; do
    : > "$tree/lib/include/hdb/$header.hpp"
  done
  mkdir -p "$tree/lib/extras/c/include/hdb"
  : > "$tree/lib/extras/c/include/hdb/c.h"
  : > "$tree/lib/extras/c/private.hpp"
  expect pass lib/src/database/b.cpp '"hdb/detail/record/a.hpp"'
  expect pass lib/src/format/b.cpp '"hdb/detail/schema/a.hpp"'
  expect pass lib/src/core/b.cpp '"hdb/detail/schema/a.hpp"'
  expect pass lib/include/hdb/detail/record/b.hpp '<cereal/cereal.hpp>'
  expect pass lib/src/core/b.cpp '<vector>'
  expect pass lib/src/inspect/b.cpp '"hdb/inspect/reader.hpp"'
  expect pass lib/src/files/b.cpp '"files/private.hpp"'
  expect pass lib/src/database/b.cpp '"inspect/private.hpp"'
  expect pass lib/extras/c/b.cpp '"hdb/c.h"'
  expect pass lib/extras/c/b.cpp '"c/private.hpp"'
  expect pass lib/extras/c/b.cpp '"database/private.hpp"'
  expect fail lib/extras/archive/b.cpp '"c/private.hpp"'
  expect fail lib/src/database/b.cpp '"c/private.hpp"'
  expect fail lib/extras/c/include/hdb/b.hpp '"c/private.hpp"'
  expect fail lib/src/database/b.cpp '"hdb/c.h"'
  expect pass tools/demo/b.cpp '<hdb/hdb.hpp>'
  expect pass tools/demo/b.cpp '"own.hpp"'
  expect fail lib/src/base/b.cpp '"hdb/detail/core/a.hpp"'
  expect fail lib/src/base/b.cpp '"hdb/detail/schema/a.hpp"'
  expect fail schema/src/b.cpp '"hdb/detail/core/a.hpp"'
  expect fail lib/src/core/b.cpp '"hdb/hdb.hpp"'
  expect fail lib/src/core/b.cpp '"hdb/detail/files/a.hpp"'
  expect fail lib/src/files/b.cpp '"hdb/table.hpp"'
  expect fail lib/src/inspect/b.cpp '"hdb/save_directory.hpp"'
  expect fail lib/src/inspect/b.cpp '"hdb/detail/files/a.hpp"'
  expect fail lib/src/format/b.cpp '"hdb/inspect/diff.hpp"'
  expect fail lib/src/format/b.cpp '"inspect/private.hpp"'
  expect fail lib/include/hdb/detail/format/b.hpp '"hdb/detail/core/a.hpp"'
  expect fail lib/include/hdb/detail/record/b.hpp '"hdb/detail/format/a.hpp"'
  expect fail lib/include/hdb/detail/core/b.hpp '"core/private.hpp"'
  expect fail lib/include/hdb/core.hpp '"hdb/detail/record/a.hpp"'
  expect fail lib/include/hdb/of_no_layer.hpp '"hdb/table.hpp"'
  expect fail lib/src/database/b.cpp '<cereal/cereal.hpp>'
  expect fail lib/src/database/b.cpp '<zstd.h>'
  expect fail lib/src/format/b.cpp '<xxhash.h>'
  expect fail lib/src/database/b.cpp '"database/missing.hpp"'
  expect fail tools/demo/b.cpp '"../../lib/src/database/a.hpp"'
  expect fail tools/demo/b.cpp '"hdb/database/missing.hpp"'
  expect fail tools/demo/b.cpp '"hdb/detail/core/a.hpp"'
  expect pass tools/bench/b.cpp '"hdb/detail/core/a.hpp"'
  mkdir -p "$tree/lib/src/database/load"
  expect fail lib/src/database/load/private.hpp '<vector>'
  expect pass lib/src/database/load/other.hpp '<vector>'
  printf '#include "hdb/save.hpp"\n' > "$tree/lib/include/hdb/hdb.hpp"
  expect fail lib/include/hdb/save.hpp '"hdb/inspect/diff.hpp"'
  : > "$tree/lib/include/hdb/hdb.hpp"
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
