// Row groups of a damaged file: what is sound in them, and what other saves have of the rest.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/read/damaged_file.hpp"
#include "hdb/inspect/salvage.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::salvaging {

/// First `survey` each group once, in their order; after that it is only read.
class GroupSource {
 public:
  GroupSource(const format::DamagedFile& file, const SalvageOptions& options)
      : file_(file), options_(options) {}

  /// Opens another save. Errors: those of DamagedFile::open, with the name as Error::file.
  [[nodiscard]] Status add(Neighbour neighbour);
  /// As read_group; reports lost and taken values to `report` and to the listener.
  [[nodiscard]] Status survey(std::size_t table, std::uint64_t group, RowGroup& out,
                              TableSalvage& report);
  /// Some entries of a free list, which may name any slots. Errors: as of the damaged file.
  [[nodiscard]] Result<std::vector<std::uint32_t>> read_free_list_part(std::size_t table,
                                                                       std::uint32_t part);
  /// Fills `out` with a group, if its slots are there. Lost values are the defaults or those of a
  /// neighbour. Errors: the damage of a group that has no records any more; limits, I/O.
  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, RowGroup& out) const;
  /// Whether values of this field come from a neighbour, in the row group of a slot.
  [[nodiscard]] bool is_taken(std::size_t table, std::uint64_t slot, const Field* field) const;
  /// Whether any values may come from neighbours.
  [[nodiscard]] bool has_taken() const noexcept { return !others_.empty() && !damaged_.empty(); }
  /// Damage that cost nothing, because another save has the same bytes.
  [[nodiscard]] const std::vector<FrameFault>& restored() const noexcept { return restored_; }

 private:
  struct Other {
    std::string name;
    std::unique_ptr<format::DamagedFile> file;
  };
  // A field outside of lists, optionals and the like: what is compared and taken as a whole.
  struct Unit {
    const Field* field;
    std::string path;
    std::size_t first_column;
    std::size_t end_column;
    std::vector<std::size_t> way;  // numbers of children, from the root
  };
  // A group with lost columns: the neighbours that may supply them, best first.
  struct Damage {
    std::vector<const Field*> fields;  // of the columns that are taken
    std::vector<std::size_t> order;
  };
  class Rows;
  struct Filling;

  [[nodiscard]] Status read(std::size_t table, std::uint64_t group, RowGroup& out,
                            std::vector<bool>& lost, std::string* from,
                            std::optional<Error>& damage) const;
  [[nodiscard]] std::optional<std::size_t> table_in(const Other& other, std::size_t table,
                                                    std::string* reason) const;
  [[nodiscard]] Filling filling_of(std::size_t table, RowGroup& group,
                                   const std::vector<bool>& lost) const;
  [[nodiscard]] Status rank(Filling& filling, TableSalvage& report, Damage& damage) const;
  [[nodiscard]] Status take(Filling& filling, std::size_t other) const;
  [[nodiscard]] Status fill(Filling& filling, const Damage& damage) const;
  [[nodiscard]] Status list(const Filling& filling) const;
  void note_restored(const Error& error, const std::string& from);
  static void find_units(const Field& field, const std::string& path, std::size_t& column,
                         std::vector<std::size_t>& way, std::vector<Unit>& out);

  const format::DamagedFile& file_;
  const SalvageOptions& options_;
  std::vector<Other> others_;
  std::map<std::pair<std::size_t, std::uint64_t>, Damage> damaged_;
  std::vector<FrameFault> restored_;
};

}  // namespace hdb::salvaging
