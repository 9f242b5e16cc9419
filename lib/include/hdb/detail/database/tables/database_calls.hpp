// The longer calls of Database that make tables. Included by database.hpp.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "hdb/database.hpp"

namespace hdb {

template <class Meta, class L, class Tag>
Result<BlobTable<Meta, L, Tag>*> Database::try_create_blob_table(std::string_view name,
                                                                 BlobOptions options) {
  auto codec = codec_of<Meta>();
  if (auto checked = check_new_blob_table(name, L::value, options, handle_key<Tag, L>(), codec);
      !checked) {
    return fail(std::move(checked.error()));
  }
  auto table = std::make_shared<BlobTable<Meta, L, Tag>>(options, pool_);
  auto* const raw = table.get();
  detail::TableEntry entry;
  entry.body = &detail::core_of(*raw);
  describe<Meta, L, Tag>(name, std::move(table), std::move(codec), entry);
  add(std::move(entry));
  return raw;
}

template <class Component, class Record, class L, class Tag, Access A>
Result<ComponentTable<Component, Tag, L>*> Database::try_create_component_table(
    std::string_view name, Table<Record, L, Tag, A>& owner, const ComponentOptions& options) {
  auto codec = codec_of<Component>();
  const detail::TableCore& core = detail::core_of(owner);
  if (auto checked = check_new_component_table(name, core, options, codec); !checked)
    return fail(std::move(checked.error()));
  auto table = std::make_shared<ComponentTable<Component, Tag, L>>(owner, options, pool_);
  auto* const raw = table.get();
  detail::TableEntry entry;
  entry.body = &detail::core_of(*raw);
  entry.owner = entry_of(core);
  describe<Component, L, Tag>(name, std::move(table), std::move(codec), entry);
  add(std::move(entry));
  return raw;
}

template <class Record, class L, class Tag, Access A, class Finish>
Result<Table<Record, L, Tag, A>*> Database::make_table(std::string_view name, TableOptions options,
                                                       const Finish& finish) {
  auto codec = codec_of<Record>();
  if (auto checked = check_new_table(name, L::value, options, handle_key<Tag, L>(), codec);
      !checked) {
    return fail(std::move(checked.error()));
  }
  auto table = std::make_shared<Table<Record, L, Tag, A>>(options, pool_);
  auto* const raw = table.get();
  detail::TableEntry entry;
  entry.body = &detail::core_of(*raw);
  describe<Record, L, Tag>(name, std::move(table), std::move(codec), entry);
  finish(*raw, entry);
  add(std::move(entry));
  return raw;
}

template <class Record, class L, class Tag, class Made>
void Database::describe(std::string_view name, std::shared_ptr<Made> table, KnownCodec codec,
                        detail::TableEntry& entry) const {
  entry.name = name;
  entry.table = std::move(table);
  entry.codec = std::move(codec.codec);
  if (!entry.is_component()) entry.key = handle_key<Tag, L>();
  entry.record_type = detail::type_key<Record>();
  entry.table_type = detail::type_key<Made>();
  prepare(entry);
}

}  // namespace hdb
