// The longer calls of Table: insert and erase, names, many records at once, sort. Included by
// table.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/detail/base/compiler.hpp"
#include "hdb/table.hpp"

namespace hdb {

template <class Record, class L, class Tag, HandleCheck A>
template <class... Args>
HDB_INLINE Handle<Tag, L> Table<Record, L, Tag, A>::emplace(Args&&... args) {
  if constexpr (detail::is_trivial_record<Record> &&
                std::is_trivially_constructible_v<Record, Args...>) {
    std::uint32_t place = 0;
    if (const auto next = core_.template try_insert<sizeof(Record)>(place)) {
      ::new (core_.template new_record<sizeof(Record)>(place)) Record(std::forward<Args>(args)...);
      return handle_of(next);
    }
  }
  return insert_made(
      0, [this] { return core_.prepare_insert(); }, std::forward<Args>(args)...);
}

template <class Record, class L, class Tag, HandleCheck A>
template <class Prepare, class... Args>
Handle<Tag, L> Table<Record, L, Tag, A>::insert_made(std::uint64_t slot, const Prepare& prepare,
                                                     Args&&... args) {
  if constexpr (sizeof...(Args) != 0) {
    if (core_.may_move_records(slot)) [[unlikely]] {
      alignas(Record) std::byte record[sizeof(Record)];
      construct(record, std::forward<Args>(args)...);
      detail::MadeRecord made(core_.ops(), record);
      void* const memory = prepare();
      if (memory == nullptr) return {};
      made.move_to(memory);
      return handle_of(core_.commit_insert());
    }
  }
  return insert_at(prepare(), std::forward<Args>(args)...);
}

template <class Record, class L, class Tag, HandleCheck A>
template <class... Args>
Handle<Tag, L> Table<Record, L, Tag, A>::insert_under(HandleType handle, std::string_view name,
                                                      Args&&... args) {
  const std::uint32_t slot = detail::slot_number(handle);
  return insert_made(
      slot, [&] { return core_.prepare_insert_at(slot, handle.generation(), name); },
      std::forward<Args>(args)...);
}

template <class Record, class L, class Tag, HandleCheck A>
HDB_INLINE bool Table<Record, L, Tag, A>::erase(HandleType handle) {
  const std::uint64_t place = live_place(handle);
  if (place == detail::kNoPlace) return false;
  const std::uint32_t slot = detail::slot_number(handle);
  if constexpr (detail::is_trivial_record<Record>) {
    if (core_.template try_erase<sizeof(Record)>(slot, tag_of(handle),
                                                 static_cast<std::uint32_t>(place))) {
      return true;
    }
  }
  core_.erase_slot(slot);
  return true;
}

template <class Record, class L, class Tag, HandleCheck A>
bool Table<Record, L, Tag, A>::erase_keeping_order(HandleType handle) {
  HDB_REQUIRE(core_.is_dense(), "Table::erase_keeping_order: only dense tables have an order");
  if (!is_live(handle)) return false;
  core_.erase_slot_keeping_order(detail::slot_number(handle));
  return true;
}

template <class Record, class L, class Tag, HandleCheck A>
template <class... Args>
Handle<Tag, L> Table<Record, L, Tag, A>::emplace_named(std::string_view name, Args&&... args) {
  if (core_.slot_named(name)) return {};
  return insert_made(
      0, [&] { return core_.prepare_insert(name); }, std::forward<Args>(args)...);
}

template <class Record, class L, class Tag, HandleCheck A>
template <class R>
bool Table<Record, L, Tag, A>::revive_named(HandleType handle, std::string_view name, R&& record) {
  if (!can_revive(handle) || core_.slot_named(name)) return false;
  return bool{insert_under(handle, name, std::forward<R>(record))};
}

template <class Record, class L, class Tag, HandleCheck A>
bool Table<Record, L, Tag, A>::rename(HandleType handle, std::string_view name) {
  const auto other = core_.slot_named(name);
  if (!is_live(handle) || (other && *other != detail::slot_number(handle))) return false;
  core_.rename_slot(detail::slot_number(handle), name);
  return true;
}

template <class Record, class L, class Tag, HandleCheck A>
std::size_t Table<Record, L, Tag, A>::insert_batch(std::span<const Record> records,
                                                   std::span<HandleType> handles) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const HandleType handle = emplace(records[i]);
    if (!handle) return i;
    if (i < handles.size()) handles[i] = handle;
  }
  return records.size();
}

template <class Record, class L, class Tag, HandleCheck A>
template <class... Args>
std::size_t Table<Record, L, Tag, A>::emplace_batch(std::size_t count,
                                                    std::span<HandleType> handles,
                                                    const Args&... args) {
  for (std::size_t i = 0; i < count; ++i) {
    const HandleType handle = emplace(args...);
    if (!handle) return i;
    if (i < handles.size()) handles[i] = handle;
  }
  return count;
}

template <class Record, class L, class Tag, HandleCheck A>
std::size_t Table<Record, L, Tag, A>::erase_batch(std::span<const HandleType> handles) {
  std::size_t erased = 0;
  for (std::size_t i = 0; i < std::min(handles.size(), kFetchSlots); ++i) fetch_slot(handles[i]);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    if (i + kFetchSlots < handles.size()) fetch_slot(handles[i + kFetchSlots]);
    if (i + kFetchRecords < handles.size() && is_live(handles[i + kFetchRecords]))
      core_.fetch(detail::slot_number(handles[i + kFetchRecords]));
    erased += erase(handles[i]) ? 1 : 0;
  }
  return erased;
}

template <class Record, class L, class Tag, HandleCheck A>
std::size_t Table<Record, L, Tag, A>::find_batch(std::span<const HandleType> handles,
                                                 std::span<const Record*> out) const noexcept {
  // First the slots, then the records are fetched ahead; find itself does not touch a record. The
  // records only into the second-level cache: more fetches can be under way there, and a large
  // batch does not push its own records out of the first.
  const std::size_t count = handles.size();
  for (std::size_t i = 0; i < std::min(count, kFetchSlots); ++i) fetch_slot(handles[i]);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kFetchSlots < count) fetch_slot(handles[i + kFetchSlots]);
    const Record* const record = find(handles[i]);
    HDB_PREFETCH_LATE(record);
    out[i] = record;
    found += record != nullptr ? 1 : 0;
  }
  return found;
}

template <class Record, class L, class Tag, HandleCheck A>
template <class Compare>
void Table<Record, L, Tag, A>::sort(Compare compare) {
  HDB_REQUIRE(core_.is_dense(), "Table::sort: only dense tables have an order");
  std::vector<std::uint32_t> places;
  {
    const detail::TableCore::Occupied comparison(core_, detail::TableCore::Busy::comparison);
    places = detail::PlaceSorter<Record, Compare>(core_, compare).run();
  }
  core_.take_sorted_order(places.data(), places.size());
}

template <class Record, class L, class Tag, HandleCheck A>
template <class... Args>
inline void Table<Record, L, Tag, A>::construct(void* memory, Args&&... args) {
  if constexpr (std::is_trivially_constructible_v<Record, Args...>) {
    ::new (memory) Record(std::forward<Args>(args)...);
  } else {
    const detail::TableCore::Occupied constructor(core_, detail::TableCore::Busy::record);
    if constexpr (std::is_constructible_v<Record, Args...>) {
      ::new (memory) Record(std::forward<Args>(args)...);
    } else {
      ::new (memory) Record{std::forward<Args>(args)...};
    }
  }
}

}  // namespace hdb
