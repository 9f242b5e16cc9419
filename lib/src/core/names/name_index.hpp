// Names of the records of a table: owned, unique, found in constant time, copied on write like
// everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/core/arrays/flat_array.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

struct FrozenNames;

/// The names by slot, and an index from a name to its slot.
//
//   N1  Exactly the names at live slots are constructed; an empty one is no name.
//   N2  Every name but empty ones is found in the index under its slot, and nothing else is in the
//       index.
//   N3  The index has more buckets than entries and marks together, so that every search ends.
//
// The index is open addressing with linear probing. A bucket holds the upper half of the name's
// hash and the slot plus one; 0 is an empty bucket, kErased the mark of one that was used.
class NameIndex {
 public:
  NameIndex(std::shared_ptr<UndoLog> log, RecordNames rule);

  [[nodiscard]] RecordNames rule() const noexcept { return rule_; }
  /// Whether two names are the same by the rule.
  [[nodiscard]] bool same(std::string_view a, std::string_view b) const noexcept;
  /// The slot of the record with this name; none when there is none, or the name is empty.
  /// Complexity: constant, linear in the name.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const noexcept;
  /// The name of a live slot.
  [[nodiscard]] const std::string& name(std::uint32_t slot) const noexcept {
    return names_.as<std::string>(slot);
  }
  /// How many records have a name.
  [[nodiscard]] std::size_t named_count() const noexcept { return named_; }

  // Each change: prepare_* does all that can fail, then commit_* cannot.

  /// Requires: no other record has the name.
  void prepare_insert(std::uint32_t slot, std::string_view name);
  void commit_insert(std::uint32_t slot) noexcept;
  /// Makes room for `count` names more, at slots below `slots`, so that insert_prepared cannot fail
  /// at slots of which prepare_slot was called.
  void prepare_inserts(std::size_t slots, std::size_t count);
  void prepare_slot(std::uint32_t slot) { names_.make_private(slot); }
  /// Requires: no other record has the name.
  void insert_prepared(std::uint32_t slot, std::string name) noexcept;
  void prepare_erase(std::uint32_t slot);
  /// Fetches ahead the name of a live slot, for fetch().
  void fetch_name(std::uint32_t slot) const noexcept;
  /// Fetches ahead what prepare_erase of a live slot will look at; looks at the name.
  void fetch(std::uint32_t slot) const noexcept;
  void commit_erase(std::uint32_t slot) noexcept;
  /// Gives the record at a live slot another name. Requires: no other record has it.
  void rename(std::uint32_t slot, std::string_view name);
  /// Cannot fail after prepare_clear.
  void clear() noexcept;
  void prepare_clear();
  void reserve(std::size_t records);

  [[nodiscard]] FrozenNames freeze(const std::shared_ptr<const Moment>& moment);
  void prepare_thaw(const FrozenNames& frozen);
  void commit_thaw(const FrozenNames& frozen) noexcept;
  void adopt(NameIndex& other) noexcept;
  [[nodiscard]] std::size_t logged_bytes() const noexcept {
    return names_.logged_bytes() + index_.logged_bytes();
  }

  // Building from stored state: room for the slots, then each live slot's name (by several
  // threads), then the index.
  void begin_fill(std::size_t slots);
  void fill(std::uint32_t slot, std::string_view name);
  /// Takes the name of a filled slot; the names may only be destroyed afterwards.
  [[nodiscard]] std::string take_filled(std::uint32_t slot) noexcept;
  /// Adds a filled slot to the index; the slot that has its name already, if any. Requires:
  /// begin_fill's room.
  [[nodiscard]] std::optional<std::uint32_t> index_filled(std::uint32_t slot);

  /// N2 for one live slot.
  [[nodiscard]] bool is_indexed(std::uint32_t slot) const noexcept;
  /// N3, and private pages.
  [[nodiscard]] bool check() const noexcept;

 private:
  static constexpr std::uint64_t kErased = std::uint64_t{1} << 32;
  [[nodiscard]] static std::uint32_t slot_of(std::uint64_t bucket) noexcept {
    return static_cast<std::uint32_t>(bucket) - 1;
  }
  [[nodiscard]] static bool is_entry(std::uint64_t bucket) noexcept {
    return static_cast<std::uint32_t>(bucket) != 0;
  }
  [[nodiscard]] std::uint64_t bucket(std::size_t i) const noexcept {
    return index_.as<std::uint64_t>(i);
  }
  [[nodiscard]] std::uint64_t hash(std::string_view name) const noexcept;
  // The bucket of a slot whose name has this hash.
  [[nodiscard]] std::size_t bucket_of(std::uint64_t hash, std::uint32_t slot) const noexcept;
  [[nodiscard]] std::size_t free_bucket(std::uint64_t hash) const noexcept;
  void make_room(std::size_t entries);
  void rebuild(std::size_t buckets);
  void put(std::uint64_t hash, std::uint32_t slot) noexcept;
  void take(std::size_t bucket) noexcept;

  std::shared_ptr<UndoLog> log_;
  RecordNames rule_;
  FlatArray names_;  // std::string by slot
  FlatArray index_;
  std::size_t buckets_ = 0;  // a power of two, or none yet
  std::size_t used_ = 0;     // entries and marks
  std::size_t named_ = 0;
  std::string pending_;            // prepared, not yet committed
  std::size_t pending_erase_ = 0;  // the bucket of the name to be erased
};

}  // namespace hdb::detail
