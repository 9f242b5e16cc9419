// What the tables of a database have issued: ever in this process, and in the present timeline by
// tables dropped since.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/slots/issued.hpp"
#include "database/tables/issued_spaces.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

class DroppedTables;

/// The space of a table of which no type is known, as the program does not have it. Without type
/// bits its handles can only be those of a table of the same name.
[[nodiscard]] HandleSpace space_of_table(const std::string& name, const HandleLayout& layout,
                                         std::uint16_t type_id);
/// What a stored table issued; nothing if it is a component table, or if its generations wrap.
/// `read`: reads its row groups; called in the second half of its generations. Errors: those of
/// `read`.
[[nodiscard]] Result<Issued> issued_by(
    const TableDescriptor& table,
    const std::function<Status(std::uint64_t group, RowGroup& out)>& read);

/// All that tables of each space issued in this process, on every timeline: never rewound, neither
/// captured, hashed nor saved. A fork starts above it.
class IssuedHandles {
 public:
  /// Of one space; good as long as anybody holds it. `scope`: of a table that issues it.
  [[nodiscard]] std::shared_ptr<Issued> of(Scope scope, HandleSpace space);
  /// As DroppedTables::of, of everything that was issued.
  [[nodiscard]] Issued of(const HandleSpace& space, const std::string& table) const;
  /// Adds what the tables of a loaded file issued that its game had dropped.
  void note(const DroppedTables& dropped);
  /// The highest type id that a table ever had.
  [[nodiscard]] std::uint16_t highest_type_id() const noexcept { return highest_type_id_; }
  void note_type_id(std::uint16_t id) noexcept {
    highest_type_id_ = std::max(highest_type_id_, id);
  }

 private:
  friend class DroppedTables;
  struct Space {
    std::shared_ptr<Issued> issued;
    Scope scope;  // the widest of its tables
  };

  std::uint16_t highest_type_id_ = 0;
  std::map<HandleSpace, Space> spaces_;
};

/// What tables issued that were dropped in this timeline: a later table whose handles are of the
/// same space starts above. Captured and restored; what tables issued that are saved is saved, and
/// hashed where they are. Copying shares it.
class DroppedTables {
 public:
  /// The same when a table of these slots is dropped, too.
  [[nodiscard]] DroppedTables with(Scope scope, const HandleSpace& space, const Slots& slots) const;
  /// The same with what others issued of a space.
  [[nodiscard]] DroppedTables with(Scope scope, const HandleSpace& space, Issued issued) const;
  /// All that dropped tables of this space issued, and those of which only this name is known.
  [[nodiscard]] Issued of(const HandleSpace& space, const std::string& table) const;
  /// Describes it in the catalog of a file.
  void add_to(DatabaseDescriptor& database) const;

  /// After an exact restore: as captured, except for tables that no restore touches.
  [[nodiscard]] DroppedTables restored(const DroppedTables& captured) const noexcept;
  /// After an exact load: what a file says, except for tables that no load touches. `renamed`: the
  /// present names of tables, by those that they may have in the file.
  [[nodiscard]] DroppedTables loaded(
      const DatabaseDescriptor& database,
      const std::map<std::string, std::string, std::less<>>& renamed) const;
  /// After a fork: everything that was ever issued.
  [[nodiscard]] DroppedTables forked(const IssuedHandles& ever) const;

 private:
  friend class IssuedHandles;
  std::array<IssuedSpaces, 4> sets_;  // of the tables of each Scope
};

}  // namespace hdb::detail
