// Names of handles and fields: `monsters:1042@7`, `monsters:1042@7.pos.x`, `0x...`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/base/error.hpp"
#include "hdb/format/reader.hpp"

namespace hdb::inspect {

/// The parts of a handle's raw bits.
struct HandleParts {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint32_t type_id = 0;
};

/// Takes raw bits apart; nothing when bits outside of the layout are set.
[[nodiscard]] std::optional<HandleParts> split_handle(const HandleLayout& layout,
                                                      std::uint64_t bits) noexcept;

/// `monsters:1042@7`; the table's name is as in the file, to be escaped where it is printed.
[[nodiscard]] std::string handle_name(const TableDescriptor& table, std::uint64_t slot,
                                      std::uint32_t generation);

/// Finds a table by name. Errors: not_found, with the nearest name.
[[nodiscard]] Result<std::size_t> find_table(const std::vector<TableDescriptor>& tables,
                                             std::string_view name);

/// Each name once, in the order given.
[[nodiscard]] std::vector<std::string> distinct(const std::vector<std::string>& names);

/// "; did you mean 'pos.x'?" for the field nearest to `path`; empty when none is near.
[[nodiscard]] std::string nearest_field(const Field& root, std::string_view path);

/// Names handles that are stored in fields.
class HandleNamer {
 public:
  explicit HandleNamer(const std::vector<TableDescriptor>& tables) : tables_(&tables) {}
  /// The table that a handle in `field` names, by the field's table or the handle's type id.
  [[nodiscard]] std::optional<std::size_t> table_of(const Field& field,
                                                    std::uint64_t bits) const noexcept;
  /// "null", `monsters:77@2`, or `0x...` where no table is known; not escaped.
  [[nodiscard]] std::string name(const Field& field, std::uint64_t bits) const;

 private:
  const std::vector<TableDescriptor>* tables_;
};

/// What an argument names: a record, or one field of it.
struct Target {
  std::size_t table = 0;
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  std::string path;  ///< Empty: the whole record.
};

/// Reads a name. Raw bits need `only_table` unless one table fits: by type id, else by being the
/// only one with such a slot, else by being the only one where the record is live.
/// Errors: not_found (no such table), bad_name (not a handle, or ambiguous bits).
[[nodiscard]] Result<Target> parse_target(const Reader& reader, std::string_view text,
                                          std::optional<std::size_t> only_table);

/// Reads a name without generation, `monsters:1042` or `monsters:1042.pos.x`: generation is 0 in the
/// result.
[[nodiscard]] std::optional<Target> parse_slot(const Reader& reader, std::string_view text);

/// State and generation of one slot.
struct SlotFacts {
  SlotState state = SlotState::free;
  std::uint32_t generation = 0;
};

/// Looks slots up without reading records; keeps the last few row groups.
class SlotLookup {
 public:
  explicit SlotLookup(const Reader& reader) : reader_(&reader) {}
  /// Nothing for a slot that the table does not have.
  [[nodiscard]] Result<std::optional<SlotFacts>> find(std::size_t table, std::uint64_t slot);

 private:
  struct Entry {
    std::size_t table = 0;
    std::uint64_t group = 0;
    std::uint64_t used = 0;
    RowGroup slots;
  };
  static constexpr std::size_t kEntries = 16;
  const Reader* reader_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
};

}  // namespace hdb::inspect
