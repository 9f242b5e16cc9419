// What a database knows of the types of its tables: how to make and destroy a table of each type.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hdb/blob_table.hpp"
#include "hdb/component_table.hpp"
#include "hdb/detail/database/tables/table_entry.hpp"
#include "hdb/detail/record/make_codec.hpp"
#include "hdb/record_traits.hpp"
#include "hdb/table.hpp"

namespace hdb {
class Database;
}

namespace hdb::detail {

/// Tables that a load may make: those whose names begin with `prefix`.
struct TableFamily {
  std::string prefix;
  Scope scope;
  std::function<Status(Database&, std::string_view)> make;

  [[nodiscard]] bool has(std::string_view name) const noexcept { return name.starts_with(prefix); }
};

template <class Record, class L, class Tag, HandleCheck A>
[[nodiscard]] TableKind kind_of() {
  static_cast<void>(require_record<Record>());
  using Made = Table<Record, L, Tag, A>;
  return {L::value,
          handle_key<Tag, L>(),
          TypeName<Tag>::value,
          type_key<Record>(),
          template_of(A),
          make_codec<Record>,
          [](const void* options, const std::shared_ptr<UndoLog>& log, TableEntry& entry) -> void* {
            auto* const made = new Made(*static_cast<const TableOptions*>(options), log);
            entry.content = &core_of(*made);
            return made;
          },
          [](void* table) { delete static_cast<Made*>(table); }};
}

template <class Meta, class L, class Tag>
[[nodiscard]] TableKind blob_kind_of() {
  static_cast<void>(require_record<Meta>());
  using Made = BlobTable<Meta, L, Tag>;
  return {L::value,
          handle_key<Tag, L>(),
          TypeName<Tag>::value,
          type_key<Meta>(),
          TableTemplate::blobs,
          make_codec<Meta>,
          [](const void* options, const std::shared_ptr<UndoLog>& log, TableEntry& entry) -> void* {
            auto* const made = new Made(*static_cast<const BlobOptions*>(options), log);
            entry.content = &core_of(*made);
            return made;
          },
          [](void* table) { delete static_cast<Made*>(table); }};
}

template <class Component, class Record, class L, class Tag, HandleCheck A>
[[nodiscard]] TableKind component_kind_of() {
  static_cast<void>(require_record<Component>());
  using Made = ComponentTable<Component, Tag, L>;
  return {L::value,
          handle_key<Tag, L>(),
          TypeName<Tag>::value,
          type_key<Component>(),
          TableTemplate::components,
          make_codec<Component>,
          [](const void* options, const std::shared_ptr<UndoLog>& log, TableEntry& entry) -> void* {
            const auto& source = *static_cast<const ComponentSource*>(options);
            auto& owner = *static_cast<Table<Record, L, Tag, A>*>(source.owner_table);
            auto* const made = new Made(owner, *source.options, log);
            entry.content = &core_of(*made);
            return made;
          },
          [](void* table) { delete static_cast<Made*>(table); }};
}

}  // namespace hdb::detail
