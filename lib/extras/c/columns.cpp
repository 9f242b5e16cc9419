// Columns of all records for the C interface.
#include <bit>
#include <cstring>

#include "c/given.hpp"
#include "c/objects.hpp"
#include "evolve/numbers.hpp"

namespace hdb::c {
namespace {

void require_count(std::uint64_t count, const LiveTable& table) {
  if (count == table.size()) return;
  refuse_argument(
      "'count' is " + std::to_string(count) + ", but hdb_count is " + std::to_string(table.size()),
      "table '" + table.name() + "'");
}

std::string place_of_column(const hdb_table& table, const char* path) {
  return "field '" + std::string(path) + "' of " + place_of(table);
}

std::size_t width_of(FieldKind kind) noexcept {
  Field field;
  field.kind = kind;
  return fixed_width(field);
}

/// Writes the number, in the machine's order of bytes.
void store_native(std::uint64_t bits, std::size_t width, std::byte* to) noexcept {
  const auto as = [&](auto number) { std::memcpy(to, &number, sizeof number); };
  switch (width) {
    case 1: as(static_cast<std::uint8_t>(bits)); break;
    case 2: as(static_cast<std::uint16_t>(bits)); break;
    case 4: as(static_cast<std::uint32_t>(bits)); break;
    default: as(bits); break;
  }
}

void copy_column(const LiveColumn& column, FieldKind kind, std::byte* to, std::string where) {
  const std::size_t from_width = width_of(column.kind);
  const std::size_t width = width_of(kind);
  if (kind == column.kind && std::endian::native == std::endian::little) {
    if (!column.values.empty()) std::memcpy(to, column.values.data(), column.values.size());
    return;
  }
  for (std::size_t at = 0; at < column.values.size(); at += from_width, to += width) {
    const std::uint64_t bits =
        detail::evolve::load_number(std::span(column.values).subspan(at, from_width));
    const auto made = kind == column.kind ? std::optional(bits)
                                          : detail::evolve::convert_number(bits, column.kind, kind);
    if (!made) {
      refuse(ErrorCode::value_out_of_range,
             "no " + std::string(kind_name(kind)) + " is equal to the " +
                 std::string(kind_name(column.kind)) + " " +
                 detail::evolve::number_text(bits, column.kind),
             std::move(where));
    }
    store_native(*made, width, to);
  }
}

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;

extern "C" {

hdb_status hdb_read_handles(const hdb_table* table, hdb_handle* handles, uint64_t count,
                            hdb_error** error) {
  return guarded(error, [&] {
    const hdb::LiveTable& live = live_of(table);
    require_count(count, live);
    require_bytes(handles, count, "handles");
    for (std::uint64_t at = 0; count != 0 && at < live.position_end(); ++at) {
      if (const std::uint64_t handle = live.handle_at(at)) *handles++ = handle;
    }
  });
}

hdb_status hdb_column_kind(const hdb_table* table, const char* path, hdb_kind* kind,
                           hdb_error** error) {
  return guarded(error, [&] {
    require(kind, "kind");
    *kind = 0;
    require(path, "path");
    *kind = static_cast<hdb_kind>(value_of(live_of(table).column_kind(path)));
  });
}

hdb_status hdb_read_column(const hdb_table* table, const char* path, hdb_kind kind, void* values,
                           uint64_t count, hdb_error** error) {
  return guarded(error, [&] {
    require(path, "path");
    const hdb::LiveTable& live = live_of(table);
    require_count(count, live);
    require_bytes(values, count, "values");
    const auto own = static_cast<hdb_kind>(value_of(live.column_kind(path)));
    if (kind != own && kind != HDB_I64 && kind != HDB_U64 && kind != HDB_F64) {
      refuse_argument("'kind' is " + std::to_string(kind) + ", but may be that of the column, " +
                          std::to_string(own) + ", or HDB_I64, HDB_U64 or HDB_F64",
                      place_of_column(*table, path));
    }
    const hdb::LiveColumn column = value_of(live.read_column(path));
    copy_column(column, static_cast<hdb::FieldKind>(kind), static_cast<std::byte*>(values),
                place_of_column(*table, path));
  });
}

}  // extern "C"
