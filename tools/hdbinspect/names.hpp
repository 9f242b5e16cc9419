// Reads names of handles and fields: `monsters:1042@7`, `monsters:1042@7.pos.x`, `0x...`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::inspect {

/// Finds a table by name. Errors: not_found, with the nearest name.
[[nodiscard]] Result<std::size_t> find_table(const std::vector<TableDescriptor>& tables,
                                             std::string_view name);

/// Finds tables by names and globs of names, each once, in the order given; all for no pattern. A
/// pattern that is the exact name of a table is not treated as a glob.
/// Errors: not_found, with the nearest name; bad_name for a glob that is none.
[[nodiscard]] Result<std::vector<std::size_t>> find_tables(
    const std::vector<TableDescriptor>& tables, const std::vector<std::string>& patterns);

/// Each name once, in the order given.
[[nodiscard]] std::vector<std::string> distinct(const std::vector<std::string>& names);

/// What an argument names: a record, or one field of it.
struct Target {
  std::size_t table = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::string path;  ///< Empty: the whole record.
};

/// Reads a name. `entities:1042@7.Position.x` names a field of a component, unless the record of
/// the entity has a field of that path. Raw bits need `only_table` unless one table fits: by type
/// id, else by being the only one with such a slot, else by being the only one where the record is
/// live.
/// Errors: not_found (no such table), bad_name (not a handle, or ambiguous bits).
[[nodiscard]] Result<Target> parse_target(const Reader& reader, std::string_view text,
                                          std::optional<std::size_t> only_table);

/// Finds a field of a table's records. Errors: those of find_field, with the nearest path.
[[nodiscard]] Result<FieldPlace> find_named_field(const Reader& reader, std::size_t table,
                                                  std::string_view path);

/// The table whose handles name the records of a table: of a component table its owner, else the
/// table itself.
[[nodiscard]] std::size_t issuer_of(const std::vector<TableDescriptor>& tables, std::size_t table);

/// Reads a name without generation, `monsters:1042` or `monsters:1042.pos.x`: generation is 0 in
/// the result.
[[nodiscard]] std::optional<Target> parse_slot(const Reader& reader, std::string_view text);

/// Whether a slot holds the record that was named; `generation` 0 is any record. `facts` are those
/// of the slot, none if the table does not have it. `tenant` becomes the handle of another record
/// in the slot, if there is one.
/// Errors: not_found, with why.
[[nodiscard]] Status check_live(const TableDescriptor& table, const std::optional<SlotFacts>& facts,
                                std::uint32_t slot, std::uint32_t generation,
                                std::string* tenant = nullptr);

}  // namespace hdb::inspect
