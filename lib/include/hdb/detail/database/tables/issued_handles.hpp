// What the tables of a database have issued: ever in this process, and in the present timeline by
// tables dropped since.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "hdb/detail/core/slots/issued.hpp"
#include "hdb/handle.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

/// Handles of one space cannot be told apart: they have one C++ type or, where they carry a type
/// id, one id. At most one table of a database issues handles of a space at a time.
struct HandleSpace {
  HandleKey key;              ///< Null where handles carry a type id.
  std::uint16_t type_id = 0;  ///< 0 where they do not.

  friend bool operator<(const HandleSpace& a, const HandleSpace& b) noexcept {
    return a.type_id != b.type_id ? a.type_id < b.type_id : TypeKey::is_before(a.key, b.key);
  }
};

/// All that tables of each space issued in this process, on every timeline: never rewound, neither
/// captured, hashed nor saved. A fork starts above it.
class IssuedHandles {
 public:
  /// Of one space; good as long as anybody holds it.
  [[nodiscard]] std::shared_ptr<Issued> of(HandleSpace space);
  [[nodiscard]] const auto& all() const noexcept { return spaces_; }
  /// The highest type id that a table ever had.
  [[nodiscard]] std::uint16_t highest_type_id() const noexcept { return highest_type_id_; }
  void note_type_id(std::uint16_t id) noexcept {
    highest_type_id_ = std::max(highest_type_id_, id);
  }

 private:
  std::uint16_t highest_type_id_ = 0;
  std::map<HandleSpace, std::shared_ptr<Issued>> spaces_;
};

/// What tables issued that were dropped in this timeline: a later table whose handles are of the
/// same space starts above. Captured and restored in memory, but neither hashed nor saved. Copying
/// shares it.
class DroppedTables {
 public:
  /// Adds what a table issued that is about to be dropped.
  void add(Scope scope, HandleSpace space, const Slots& slots);
  /// All that dropped tables of this space issued.
  [[nodiscard]] Issued of(HandleSpace space) const;

  /// After an exact restore: as captured, except for tables that no restore touches.
  [[nodiscard]] DroppedTables restored(const DroppedTables& captured) const noexcept;
  /// After an exact load: a file does not know of dropped tables. Those that no load touches stay.
  [[nodiscard]] DroppedTables loaded() const noexcept;
  /// After a fork: everything that was ever issued.
  [[nodiscard]] DroppedTables forked(const IssuedHandles& ever) const;

 private:
  using Spaces = std::map<HandleSpace, Issued>;
  // Of tables that are saved; of Scope::unsaved; of Scope::uncaptured.
  std::array<std::shared_ptr<Spaces>, 3> spaces_;
};

}  // namespace hdb::detail
