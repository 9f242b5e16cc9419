// The values that a load keeps because the program's records have no field for them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/using_detail.hpp"
#include "core/tables/erased_slots.hpp"
#include "database/kept/kept_handles.hpp"
#include "evolve/kept_layout.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/schema.hpp"
#include "record/codec.hpp"

namespace hdb {

/// The kept values of one table by the slots that its records had in the file. After the load it
/// does not change: the table and its snapshots share it.
//
//   KR1  A row has the kept values of its record if the file has that record, which was not erased
//        since; else it has zeros.
//   KR2  What the program knows of a row is what the program says: kept values never replace it. A
//        field with an unknown alternative or enumerator is kept whole until the program changes
//        it.
//
// The kept values of a record are one piece of bytes: of each field its canonical row bytes, of
// what is optional or repeated also the size. An element of a list has a hash of all that the
// program reads of it unchanged, and a value of a map one of its key and one of itself: by these it
// is found again after the program changed the container.
class KeptRows {
 public:
  /// `stored`: the table in the file.
  KeptRows(evolve::KeptLayout layout, const TableDescriptor& stored);
  ~KeptRows();
  KeptRows(const KeptRows&) = delete;
  KeptRows& operator=(const KeptRows&) = delete;

  /// Nodes of the stored plan whose unknown values are kept.
  [[nodiscard]] const std::vector<std::uint32_t>& unknown_nodes() const noexcept {
    return layout_.unknown_nodes;
  }
  /// Whether add_group needs the columns of the program's records.
  [[nodiscard]] bool needs_own() const noexcept { return !layout_.unknown_nodes.empty(); }
  /// Takes the kept values of a row group. `columns` are those of the records, checked against the
  /// grammar; `own` those of the program's records that they became, if needs_own(). Several
  /// threads may add different groups. Errors: memory_budget.
  [[nodiscard]] Status add_group(std::uint64_t group, const RowGroup& rows,
                                 std::span<const Bytes> columns, std::span<const Bytes> own,
                                 MemoryBudget& budget);

  /// The schema of the rows; `own` is that of the program's rows, with row_prefix.
  [[nodiscard]] Field merged(const Field& own) const;
  /// How many columns the program's records have.
  [[nodiscard]] std::size_t own_columns() const noexcept { return layout_.own_columns; }
  /// Makes columns of rows from those of the program's records in these slots. `erased`: see
  /// TableEntry. `own` is used up.
  void merge(std::span<const std::uint32_t> slots, const ErasedSlots* erased, std::span<Bytes> own,
             std::span<Bytes> out) const;

  /// The paths of the kept fields, as LoadChange::field has them.
  [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return layout_.paths; }
  /// The strong handles in the kept fields of the file. They count until the next load, also those
  /// of records that were erased since.
  [[nodiscard]] const std::vector<KeptHandles>& strong_handles() const noexcept {
    return strong_handles_;
  }
  /// Differs from that of every other object of this process; never 0.
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

  struct Node;  ///< A node of the layout that knows its columns.

 private:
  struct Group {
    std::vector<bool> are_live;       // in the file: of each slot
    std::vector<std::uint64_t> ends;  // of the bytes of each slot
    Bytes bytes;
  };
  class Taker;
  class Merger;

  [[nodiscard]] std::span<const std::byte> find(std::uint32_t slot, bool& is_kept) const noexcept;

  const evolve::KeptLayout layout_;
  const std::uint8_t group_shift_;
  const std::uint64_t id_;
  std::unique_ptr<const Node> root_;
  std::vector<Group> groups_;
  std::mutex mutex_;  // guards the handles while groups are added
  std::vector<KeptHandles> strong_handles_;
};

/// A number that no other call in this process returns; never 0.
[[nodiscard]] std::uint64_t new_kept_id() noexcept;

}  // namespace hdb
