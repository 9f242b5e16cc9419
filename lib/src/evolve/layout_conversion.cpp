// Columns of handles, one value after another, in the layout of the program.
#include "evolve/layout_conversion.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "evolve/handle_bits.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb::detail::evolve {
namespace {

void store_bits(std::byte* at, unsigned width, std::uint64_t bits) noexcept {
  switch (width) {
    case 2: return store_le(at, static_cast<std::uint16_t>(bits));
    case 4: return store_le(at, static_cast<std::uint32_t>(bits));
    default: return store_le(at, bits);
  }
}

}  // namespace

LayoutConversion::LayoutConversion(const std::vector<AdaptedHandle>& fields)
    : columns_(fields.begin(), fields.end()) {}

void LayoutConversion::resolve(const std::vector<MovedTable>& moved) {
  std::vector<Column> kept;
  for (Column& column : columns_) {
    if (column.field.table.empty()) {
      std::copy_if(moved.begin(), moved.end(), std::back_inserter(column.left),
                   [&](const MovedTable& table) { return table.stored == column.field.stored; });
      if (!column.left.empty()) kept.push_back(std::move(column));
      continue;
    }
    const auto table = std::find_if(moved.begin(), moved.end(), [&](const MovedTable& each) {
      return each.name == column.field.table;
    });
    if (table != moved.end()) {
      column.type_id = column.field.own.type_bits != 0 ? table->own_type_id : table->stored_type_id;
    }
    kept.push_back(std::move(column));
  }
  columns_ = std::move(kept);
}

Status LayoutConversion::check_any(const Column& column, const Bytes& bytes) {
  const unsigned width = column.field.stored.byte_size();
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    const std::uint64_t bits = load_handle(bytes.data() + at, width);
    const auto parts = split_handle(column.field.stored, bits);
    if (bits == 0 || !parts) continue;
    for (const MovedTable& table : column.left) {
      if (table.stored_type_id != parts->type_id) continue;
      return fail(ErrorCode::layout_mismatch,
                  "the handle " + std::to_string(parts->index) + '@' +
                      std::to_string(parts->generation) + " names table '" + table.name +
                      "', whose handles have another layout in the program; a handle of any table "
                      "cannot hold them",
                  "field '" + column.field.path + "'");
    }
  }
  return {};
}

Result<bool> LayoutConversion::translate(const Column& column, Bytes& bytes) {
  const unsigned from = column.field.stored.byte_size();
  const unsigned to = column.field.own.byte_size();
  if (bytes.size() % from != 0) {
    return fail(ErrorCode::bad_lengths, "the column ends inside a handle",
                "field '" + column.field.path + "'");
  }
  const std::size_t count = bytes.size() / from;
  Bytes translated(count * to);
  std::uint64_t cleared = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t old = load_handle(bytes.data() + i * from, from);
    const std::uint64_t bits =
        translate_handle(column.field.stored, column.field.own, old, column.type_id);
    if (bits == 0 && old != 0) ++cleared;
    store_bits(translated.data() + i * to, to, bits);
  }
  bytes = std::move(translated);
  column.count += count;
  column.cleared += cleared;
  return cleared != 0;
}

Result<bool> LayoutConversion::translate(RowGroup& rows) const {
  bool has_cleared = false;
  for (const Column& column : columns_) {
    Bytes& bytes = rows.columns[column.field.column];
    if (column.field.table.empty()) {
      if (auto checked = check_any(column, bytes); !checked)
        return fail(std::move(checked.error()));
      continue;
    }
    auto cleared = translate(column, bytes);
    if (!cleared) return cleared;
    has_cleared = has_cleared || *cleared;
  }
  return has_cleared;
}

std::vector<LoadChange> LayoutConversion::changes() const {
  std::vector<LoadChange> changes;
  for (const Column& column : columns_) {
    if (column.field.table.empty()) continue;
    changes.push_back({LoadChange::Kind::converted, column.field.path,
                       "handle" + layout_text(column.field.stored),
                       "handle" + layout_text(column.field.own), column.count});
    if (column.cleared != 0)
      changes.push_back({LoadChange::Kind::cleared, column.field.path, {}, {}, column.cleared});
  }
  return changes;
}

}  // namespace hdb::detail::evolve
