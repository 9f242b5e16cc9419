// What captures share: which tables there are, and the state of each beside the content of its
// arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/using_detail.hpp"
#include "core/tables/frozen_table.hpp"
#include "core/tables/table_marks.hpp"
#include "hdb/database.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/database/tables/table_entry.hpp"

namespace hdb {
class KeptRows;

namespace detail {

/// The captured tables of a database, in rising order of names. A change of tables or type ids
/// makes a new roll.
struct TableRoll {
  struct Member {
    std::shared_ptr<TableEntry> entry;
    std::uint16_t type_id = 0;         ///< TableEntry::type_id.
    std::uint16_t handle_type_id = 0;  ///< In handles of its records: that of the owner.
    std::shared_ptr<const RecordCodec> codec;
    std::shared_ptr<const Field> own_schema;  ///< See SnapshotTable.
  };
  std::vector<Member> members;
  std::shared_ptr<const Database::Schemas> schemas;
  bool has_outside_components = false;  ///< That are not captured, but whose owner is.
  std::shared_ptr<TableMarks> marks;    ///< Of the members.
};

/// The state of the members at a capture. Copies share what is equal: one costs O(sqrt(members))
/// pointers if any state changed, and nothing if none did.
class CapturedTables {
 public:
  struct State {
    FrozenTable frozen;  ///< Of no moment: see seen_at.
    std::shared_ptr<const KeptRows> kept;
    std::shared_ptr<const ErasedSlots> erased;
  };

  explicit CapturedTables(std::shared_ptr<const TableRoll> roll);

  [[nodiscard]] const TableRoll& roll() const noexcept { return *roll_; }
  [[nodiscard]] bool has_roll_of(const CapturedTables& other) const noexcept {
    return roll_ == other.roll_;
  }
  [[nodiscard]] const State& operator[](std::size_t member) const noexcept {
    return *groups_[member / kPerGroup]->states[member % kPerGroup];
  }
  void set(std::size_t member, std::shared_ptr<const State> state);
  /// Marks the members whose state is another one. Requires: has_roll_of.
  void mark_differences(const CapturedTables& other, Marks& marks) const;

 private:
  static constexpr std::size_t kPerGroup = 32;
  struct Group {
    std::shared_ptr<const State> states[kPerGroup];
  };

  std::shared_ptr<const TableRoll> roll_;
  std::vector<std::shared_ptr<Group>> groups_;  // not written while another object has it
};

}  // namespace detail
}  // namespace hdb
