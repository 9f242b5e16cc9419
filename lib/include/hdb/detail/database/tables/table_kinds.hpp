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

/// How this module lays records out: their size, and the names and sizes of the members that hdb
/// finds.
template <class Record>
[[nodiscard]] consteval std::uint64_t layout_hash() {
  std::uint64_t hash = sizeof(Record) ^ std::uint64_t{alignof(Record)} << 32;
  const auto add = [&hash](std::uint64_t part) { hash = (hash ^ part) * 0x9e3779b97f4a7c15; };
  if constexpr (record::shape_of<Record>() == record::Shape::user) {
    if constexpr (record::save_form<Record, record::EncodeArchive>().form ==
                  record::Form::aggregate) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (add(hash_of_name(record::Members<Record>::names[I])), ...);
        (add(sizeof(record::MemberType<Record, I>)), ...);
      }
      (std::make_index_sequence<record::Members<Record>::count>{});
    }
  }
  add(1);
  return hash;
}
template <class Record>
[[nodiscard]] RecordType record_type() noexcept {
  constexpr std::uint64_t layout = layout_hash<Record>();
  return {type_key<Record>(), layout};
}

template <class Record, class L, class Tag, HandleCheck A>
[[nodiscard]] TableKind kind_of() {
  static_cast<void>(require_record<Record>());
  using Made = Table<Record, L, Tag, A>;
  return {L::value,
          handle_key<Tag, L>(),
          TypeName<Tag>::value,
          record_type<Record>(),
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
          record_type<Meta>(),
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
          record_type<Component>(),
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
