// What a database knows of the types of its tables: how to make and destroy a table of each type.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "hdb/detail/base/type_key.hpp"
#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/detail/core/tables/record_type.hpp"
#include "hdb/detail/record/make_codec.hpp"
#include "hdb/fwd.hpp"
#include "hdb/record_traits.hpp"
#include "hdb/singleton.hpp"
#include "hdb/table.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

class RecordCodec;
class RefCounts;

/// Which template a table is made from: Table with one of the kinds of HandleCheck, BlobTable or
/// ComponentTable.
enum class TableTemplate : std::uint8_t { checked, asserted, unchecked, blobs, components };
[[nodiscard]] constexpr TableTemplate template_of(HandleCheck access) noexcept {
  return static_cast<TableTemplate>(access);
}

/// What a component table is made from.
struct ComponentSource {
  void* owner_table = nullptr;  ///< The Table<...>.
  const ComponentOptions* options = nullptr;
};

/// What a game holds instead of some tables: a Singleton<...> or a ResourceTable<...>.
struct TableWrapper {
  TypeKey type;  ///< Null: the game holds the table.
  bool is_singleton = false;
  /// Makes one; that of resources says where their references are counted.
  void* (*make)(Database& database, void* table, const RefCounts*& references) = nullptr;
  void (*destroy)(void* wrapper) = nullptr;
};

/// What the database knows of a type of tables before it makes one.
struct TableKind {
  HandleLayout layout;
  HandleKey key;               ///< Of the handles by which its records are found.
  std::string_view type_name;  ///< TypeName of their tag; of run time: the name of the table.
  RecordType record_type;
  TableTemplate made_from = TableTemplate::checked;
  /// Gives the codec of the record type. A codec calls functions of the module that made it, so
  /// each module makes its own.
  std::shared_ptr<const RecordCodec> (*make_codec)() = nullptr;
  /// Makes a table and says where its content is; `options` are BlobOptions for a blob table, a
  /// ComponentSource for a component table, else TableOptions.
  void* (*make)(const void* options, const std::shared_ptr<UndoLog>& log,
                TableContent*& content) = nullptr;
  void (*destroy)(void* table) = nullptr;
  TableWrapper wrapper = {};
};

/// Whether the program includes the header of a kind of tables, of which hdb/hdb.hpp has only the
/// name.
template <class T>
concept IsDefined = requires {
  sizeof(T);
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
          [](const void* options, const std::shared_ptr<UndoLog>& log,
             TableContent*& content) -> void* {
            auto* const made = new Made(*static_cast<const TableOptions*>(options), log);
            content = &core_of(*made);
            return made;
          },
          [](void* table) { delete static_cast<Made*>(table); }};
}

template <class T>
[[nodiscard]] TableKind singleton_kind_of() {
  TableKind kind = kind_of<T, DefaultLayout, T, HandleCheck::checked>();
  kind.wrapper = {type_key<Singleton<T>>(), true,
                  [](Database&, void* table, const RefCounts*&) -> void* {
                    return new Singleton<T>(*static_cast<Table<T>*>(table));
                  },
                  [](void* wrapper) { delete static_cast<Singleton<T>*>(wrapper); }};
  return kind;
}

template <class Record, class L, class Tag>
[[nodiscard]] TableKind resource_kind_of() {
  using Made = ResourceTable<Record, L, Tag>;
  static_assert(IsDefined<Made>, "hdb: include <hdb/resource_table.hpp>");
  TableKind kind = kind_of<Record, L, Tag, HandleCheck::checked>();
  kind.wrapper = {type_key<Made>(), false,
                  [](Database& database, void* table, const RefCounts*& references) -> void* {
                    auto* const made =
                        new Made(database, *static_cast<Table<Record, L, Tag>*>(table));
                    references = &made->references();
                    return made;
                  },
                  [](void* wrapper) { delete static_cast<Made*>(wrapper); }};
  return kind;
}

template <class Meta, class L, class Tag>
[[nodiscard]] TableKind blob_kind_of() {
  static_cast<void>(require_record<Meta>());
  using Made = BlobTable<Meta, L, Tag>;
  static_assert(IsDefined<Made>, "hdb: include <hdb/blob_table.hpp>");
  return {L::value,
          handle_key<Tag, L>(),
          TypeName<Tag>::value,
          record_type<Meta>(),
          TableTemplate::blobs,
          make_codec<Meta>,
          [](const void* options, const std::shared_ptr<UndoLog>& log,
             TableContent*& content) -> void* {
            auto* const made = new Made(*static_cast<const BlobOptions*>(options), log);
            content = &core_of(*made);
            return made;
          },
          [](void* table) { delete static_cast<Made*>(table); }};
}

template <class Component, class Record, class L, class Tag, HandleCheck A>
[[nodiscard]] TableKind component_kind_of() {
  static_cast<void>(require_record<Component>());
  using Made = ComponentTable<Component, Tag, L>;
  static_assert(IsDefined<Made>, "hdb: include <hdb/component_table.hpp>");
  return {L::value,
          handle_key<Tag, L>(),
          TypeName<Tag>::value,
          record_type<Component>(),
          TableTemplate::components,
          make_codec<Component>,
          [](const void* options, const std::shared_ptr<UndoLog>& log,
             TableContent*& content) -> void* {
            const auto& source = *static_cast<const ComponentSource*>(options);
            auto& owner = *static_cast<Table<Record, L, Tag, A>*>(source.owner_table);
            auto* const made = new Made(owner, *source.options, log);
            content = &core_of(*made);
            return made;
          },
          [](void* table) { delete static_cast<Made*>(table); }};
}

}  // namespace hdb::detail
