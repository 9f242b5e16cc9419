// Tables in order of names, and their indexes.
#include "hdb/detail/database/tables/table_list.hpp"

#include <algorithm>
#include <utility>

#include "inspect/validate/layout_conflict.hpp"

namespace hdb::detail {
namespace {

// The first conflict of the handle fields of a table made at run time.
std::string conflict_of(const TableEntry& entry, const LayoutOfTable& layout_of) {
  for (const Field& handle : entry.handles) {
    std::string conflict = layout_conflict_of(handle, handle.name, layout_of);
    if (!conflict.empty()) return "table '" + entry.name + "': " + conflict;
  }
  return {};
}

bool has_own_handles(const TableEntry& entry) noexcept {
  return entry.core().policy().layout.type_bits == 0 && !entry.is_component();
}

// The first table in such an index whose key may be this one.
std::vector<TableEntry*>::const_iterator place_of(const HandleKey& key,
                                                  const std::vector<TableEntry*>& by_key) noexcept {
  return std::lower_bound(by_key.begin(), by_key.end(), HandleKey::Hash()(key),
                          [](const TableEntry* entry, std::size_t wanted) {
                            return HandleKey::Hash()(entry->key) < wanted;
                          });
}

// Makes room for one more, as much as a vector that grows does.
template <class T>
void reserve_next(std::vector<T>& list) {
  if (list.size() == list.capacity()) list.reserve(std::max<std::size_t>(2 * list.size(), 16));
}

}  // namespace

HandleSpace TableEntry::handle_space(std::uint16_t type_id) const {
  const HandleLayout& layout = core().policy().layout;
  return {type_id, layout, layout.type_bits != 0 ? std::string() : type_name};
}

HandleSpace TableEntry::handle_space() const { return handle_space(core().options().type_id); }

TableList::TableList(std::vector<Entry> tables) : entries_(std::move(tables)) {
  for (const Entry& entry : entries_) {
    if (has_own_handles(*entry)) by_key_.push_back(entry.get());
  }
  std::sort(by_key_.begin(), by_key_.end(), [](const TableEntry* a, const TableEntry* b) {
    return HandleKey::Hash()(a->key) < HandleKey::Hash()(b->key);
  });
}

std::vector<TableList::Entry>::const_iterator TableList::lower_bound(
    std::string_view name) const noexcept {
  return std::lower_bound(
      entries_.begin(), entries_.end(), name,
      [](const Entry& entry, std::string_view wanted) { return entry->name < wanted; });
}

TableEntry* TableList::find(std::string_view name) const noexcept {
  const auto found = lower_bound(name);
  return found == entries_.end() || (*found)->name != name ? nullptr : found->get();
}

TableEntry* TableList::find_key(const HandleKey& key) const noexcept {
  const HandleKey::Hash hash;
  for (auto at = place_of(key, by_key_); at != by_key_.end() && hash((*at)->key) == hash(key);
       ++at) {
    if ((*at)->key == key) return *at;
  }
  return nullptr;
}

void TableList::insert(Entry entry) {
  // All that can fail comes first.
  reserve_next(entries_);
  reserve_next(by_key_);
  const std::uint16_t id = entry->type_id();
  reserve_type_ids(id);
  if (has_own_handles(*entry)) by_key_.insert(place_of(entry->key, by_key_), entry.get());
  if (id != 0) by_type_id_[id] = entry.get();
  const auto place = lower_bound(entry->name);
  entries_.insert(place, std::move(entry));
}

TableList::Entry TableList::remove(std::string_view name) noexcept {
  const auto place = lower_bound(name);
  if (place == entries_.end() || (*place)->name != name) return nullptr;
  Entry entry = *place;
  entries_.erase(place);
  if (has_own_handles(*entry)) std::erase(by_key_, entry.get());
  const std::uint16_t id = entry->type_id();
  if (id != 0) by_type_id_[id] = nullptr;
  return entry;
}

std::string TableList::find_layout_conflict(const TableEntry& entry) const {
  const auto layout_of = [](const TableEntry& table) {
    return std::optional(table.core().policy().layout);
  };
  std::string conflict = conflict_of(entry, [&](const std::string& name) {
    if (name == entry.name) return layout_of(entry);
    const TableEntry* const named = find(name);
    return named == nullptr ? std::nullopt : layout_of(*named);
  });
  for (const Entry& other : entries_) {
    if (!conflict.empty()) break;
    conflict = conflict_of(*other, [&](const std::string& name) {
      return name == entry.name ? layout_of(entry) : std::nullopt;
    });
  }
  return conflict;
}

void TableList::reserve_type_ids(std::uint16_t highest) {
  if (by_type_id_.size() > highest) return;
  if (by_type_id_.capacity() <= highest) {
    by_type_id_.reserve(std::max<std::size_t>(2 * by_type_id_.size(), highest + std::size_t{1}));
  }
  by_type_id_.resize(highest + std::size_t{1}, nullptr);
}

std::uint16_t TableList::type_ids_changed() noexcept {
  std::uint16_t highest = 0;
  std::fill(by_type_id_.begin(), by_type_id_.end(), nullptr);
  for (const Entry& entry : entries_) {
    const std::uint16_t id = entry->type_id();
    if (id != 0) by_type_id_[id] = entry.get();
    highest = std::max(highest, id);
  }
  return highest;
}

bool TableList::check() const noexcept {
  std::size_t keys = 0;
  std::size_t ids = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const TableEntry& entry = *entries_[i];
    if (i != 0 && entries_[i - 1]->name >= entry.name) return false;
    const std::uint16_t id = entry.type_id();
    if (id != 0 && find_type_id(id) != &entry) return false;
    if (has_own_handles(entry) && find_key(entry.key) != &entry) return false;
    if (!entry.handles.empty() && !find_layout_conflict(entry).empty()) return false;
    ids += id != 0 ? 1 : 0;
    keys += has_own_handles(entry) ? 1 : 0;
  }
  const auto empty = std::count(by_type_id_.begin(), by_type_id_.end(), nullptr);
  return keys == by_key_.size() && ids == by_type_id_.size() - static_cast<std::size_t>(empty);
}

}  // namespace hdb::detail
