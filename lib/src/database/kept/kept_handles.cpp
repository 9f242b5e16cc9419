// All values of a column of strong handles count, wherever they are in their records.
#include "database/kept/kept_handles.hpp"

#include <algorithm>

#include "evolve/handle_bits.hpp"

namespace hdb {
namespace {

KeptHandles& list_of(const Field& field, std::vector<KeptHandles>& handles) {
  const auto found = std::find_if(handles.begin(), handles.end(), [&](const KeptHandles& each) {
    return each.layout == field.layout && each.table == field.table;
  });
  if (found != handles.end()) return *found;
  return handles.emplace_back(KeptHandles{field.layout, field.table, {}});
}

}  // namespace

std::uint64_t add_strong_handles(const Field& field, std::span<const Bytes> columns,
                                 std::vector<KeptHandles>& handles) {
  std::uint64_t added = 0;
  const std::vector<Column> described = columns_of(field);
  for (std::size_t i = 0; i < described.size(); ++i) {
    const Field& leaf = *described[i].field;
    if (leaf.kind != FieldKind::handle || !leaf.strong) continue;
    KeptHandles& list = list_of(leaf, handles);
    for (std::size_t at = 0; at < columns[i].size(); at += described[i].width) {
      const std::uint64_t bits = evolve::load_handle(columns[i].data() + at, described[i].width);
      if (bits == 0) continue;
      list.bits.push_back(bits);
      added += sizeof bits;
    }
  }
  return added;
}

}  // namespace hdb
