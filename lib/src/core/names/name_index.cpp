// Open addressing over flat arrays.
#include "core/names/name_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "core/names/frozen_names.hpp"
#include "hdb/assert.hpp"
#include "hdb/detail/base/compiler.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::detail {
namespace {

constexpr std::size_t kFewestBuckets = 16;

// Buckets for so many entries, at most seven eighths full (N3).
std::size_t buckets_for(std::size_t entries) noexcept {
  return std::max(kFewestBuckets, std::bit_ceil(entries + entries / 7 + 1));
}

}  // namespace

NameIndex::NameIndex(std::shared_ptr<UndoLog> log, RecordNames rule)
    : log_(std::move(log)),
      rule_(rule),
      names_(log_, record_ops<std::string>(), Addresses::stay),
      index_(log_, trivial_ops<std::uint64_t>()) {}

bool NameIndex::same(std::string_view a, std::string_view b) const noexcept {
  if (a.size() != b.size()) return false;
  if (rule_ == RecordNames::exact) return std::memcmp(a.data(), b.data(), a.size()) == 0;
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](char x, char y) { return lower_ascii(x) == lower_ascii(y); });
}

std::uint64_t NameIndex::hash(std::string_view name) const noexcept {
  if (rule_ == RecordNames::exact)
    return hash64(std::as_bytes(std::span<const char>(name.data(), name.size())));
  // Piece by piece, so that no name needs memory: each piece begins with the hash of those before.
  char piece[8 + 248];
  std::uint64_t sum = 0;
  do {
    const std::size_t size = std::min<std::size_t>(name.size(), sizeof piece - 8);
    std::memcpy(piece, &sum, 8);
    std::transform(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(size), piece + 8,
                   [](char c) { return lower_ascii(c); });
    sum = hash64(std::as_bytes(std::span(piece, 8 + size)));
    name.remove_prefix(size);
  } while (!name.empty());
  return sum;
}

std::optional<std::uint32_t> NameIndex::find(std::string_view name) const noexcept {
  if (name.empty() || named_ == 0) return std::nullopt;
  const std::uint64_t wanted = hash(name);
  const std::uint64_t upper = wanted >> 32;
  for (std::size_t i = static_cast<std::size_t>(wanted) & (buckets_ - 1);;
       i = (i + 1) & (buckets_ - 1)) {
    const std::uint64_t found = bucket(i);
    if (found == 0) return std::nullopt;
    if (found >> 32 == upper && is_entry(found) && same(this->name(slot_of(found)), name)) {
      return slot_of(found);
    }
  }
}

std::size_t NameIndex::bucket_of(std::uint64_t hash, std::uint32_t slot) const noexcept {
  const std::uint64_t wanted = (hash >> 32 << 32) | (slot + std::uint64_t{1});
  for (std::size_t i = static_cast<std::size_t>(hash) & (buckets_ - 1);;
       i = (i + 1) & (buckets_ - 1)) {
    if (bucket(i) == wanted) return i;
    HDB_REQUIRE(bucket(i) != 0, "N2: the name is not in the index");
  }
}

std::size_t NameIndex::free_bucket(std::uint64_t hash) const noexcept {
  std::size_t i = static_cast<std::size_t>(hash) & (buckets_ - 1);
  while (is_entry(bucket(i))) i = (i + 1) & (buckets_ - 1);
  return i;
}

void NameIndex::put(std::uint64_t hash, std::uint32_t slot) noexcept {
  std::uint64_t& to = index_.owned_as<std::uint64_t>(free_bucket(hash));
  if (to == 0) ++used_;
  to = (hash >> 32 << 32) | (slot + std::uint64_t{1});
  ++named_;
}

void NameIndex::take(std::size_t i) noexcept {
  // Nothing is searched past an empty bucket: before one, no mark is needed.
  const bool last = bucket((i + 1) & (buckets_ - 1)) == 0;
  index_.owned_as<std::uint64_t>(i) = last ? 0 : kErased;
  if (last) --used_;
  --named_;
}

// Room for so many entries more; marks of erased ones are swept when they are many.
void NameIndex::make_room(std::size_t entries) {
  if (buckets_for(used_ + entries) <= buckets_) return;
  rebuild(std::max(buckets_for(2 * (named_ + entries)), kFewestBuckets));
}

void NameIndex::rebuild(std::size_t buckets) {
  FlatArray fresh(log_, trivial_ops<std::uint64_t>());
  fresh.grow_to(buckets);
  for (std::size_t i = 0; i < buckets; ++i) fresh.owned_as<std::uint64_t>(i) = 0;
  for (std::size_t i = 0; i < buckets_; ++i) {
    const std::uint64_t entry = bucket(i);
    if (!is_entry(entry)) continue;
    std::size_t at = static_cast<std::size_t>(hash(name(slot_of(entry)))) & (buckets - 1);
    while (fresh.as<std::uint64_t>(at) != 0) at = (at + 1) & (buckets - 1);
    fresh.owned_as<std::uint64_t>(at) = entry;
  }
  index_.adopt(fresh);
  buckets_ = buckets;
  used_ = named_;
}

void NameIndex::prepare_insert(std::uint32_t slot, std::string_view name) {
  names_.grow_to(std::size_t{slot} + 1);
  static_cast<void>(names_.edit(slot));
  pending_ = name;
  if (name.empty()) return;
  make_room(1);
  static_cast<void>(index_.edit(free_bucket(hash(name))));
}

void NameIndex::commit_insert(std::uint32_t slot) noexcept {
  if (!pending_.empty()) put(hash(pending_), slot);
  ::new (names_.owned_at(slot)) std::string(std::move(pending_));
  names_.mark_constructed(slot);
  pending_.clear();
}

void NameIndex::prepare_inserts(std::size_t slots, std::size_t count) {
  names_.grow_to(slots);
  make_room(count);
  index_.make_private(0, buckets_);  // where a name goes depends on those before it
}

void NameIndex::insert_prepared(std::uint32_t slot, std::string name) noexcept {
  pending_ = std::move(name);
  commit_insert(slot);
}

void NameIndex::prepare_erase(std::uint32_t slot) {
  static_cast<void>(names_.edit(slot));
  if (name(slot).empty()) return;
  pending_erase_ = bucket_of(hash(name(slot)), slot);
  static_cast<void>(index_.edit(pending_erase_));
}

void NameIndex::fetch_name(std::uint32_t slot) const noexcept {
  HDB_PREFETCH_TO_WRITE(names_.at(slot));
}

void NameIndex::fetch(std::uint32_t slot) const noexcept {
  if (name(slot).empty()) return;
  HDB_PREFETCH_TO_WRITE(index_.at(static_cast<std::size_t>(hash(name(slot))) & (buckets_ - 1)));
}

void NameIndex::commit_erase(std::uint32_t slot) noexcept {
  std::string& gone = names_.owned_as<std::string>(slot);
  if (!gone.empty()) take(pending_erase_);
  gone.~basic_string();
  names_.mark_destroyed(slot);
}

void NameIndex::rename(std::uint32_t slot, std::string_view name) {
  std::string fresh(name);
  static_cast<void>(names_.edit(slot));
  if (!fresh.empty()) make_room(1);
  if (!this->name(slot).empty())
    static_cast<void>(index_.edit(bucket_of(hash(this->name(slot)), slot)));
  if (!fresh.empty()) static_cast<void>(index_.edit(free_bucket(hash(fresh))));
  std::string& own = names_.owned_as<std::string>(slot);
  // First in, then out: so the bucket that was made writable is the one that is used.
  if (!fresh.empty()) put(hash(fresh), slot);
  if (!own.empty()) {
    // The same bucket content twice (a name that differs in case only) is taken out once,
    // whichever.
    take(bucket_of(hash(own), slot));
  }
  own = std::move(fresh);
}

void NameIndex::clear() noexcept {
  names_.drop_all();
  index_.drop_all();
  buckets_ = used_ = named_ = 0;
}

void NameIndex::prepare_clear() {
  names_.prepare_drop();
  index_.prepare_drop();
}

void NameIndex::reserve(std::size_t records) {
  names_.grow_to(records);
  if (buckets_for(records) > buckets_) rebuild(buckets_for(records));
}

FrozenNames NameIndex::freeze(const std::shared_ptr<const Moment>& moment) {
  FrozenNames frozen;
  frozen.names = names_.freeze(moment);
  frozen.index = index_.freeze(moment);
  frozen.buckets = buckets_;
  frozen.used = used_;
  frozen.named = named_;
  return frozen;
}

void NameIndex::prepare_thaw(const FrozenNames& frozen) {
  names_.prepare_thaw(frozen.names);
  index_.prepare_thaw(frozen.index);
}

void NameIndex::commit_thaw(const FrozenNames& frozen) noexcept {
  names_.commit_thaw();
  index_.commit_thaw();
  buckets_ = frozen.buckets;
  used_ = frozen.used;
  named_ = frozen.named;
}

void NameIndex::adopt(NameIndex& other) noexcept {
  names_.adopt(other.names_);
  index_.adopt(other.index_);
  buckets_ = std::exchange(other.buckets_, 0);
  used_ = std::exchange(other.used_, 0);
  named_ = std::exchange(other.named_, 0);
}

void NameIndex::begin_fill(std::size_t slots) {
  prepare_clear();
  clear();
  names_.grow_to(slots);
}

void NameIndex::fill(std::uint32_t slot, std::string_view name) {
  ::new (names_.owned_at(slot)) std::string(name);
  names_.mark_constructed_shared(slot);
}

std::string NameIndex::take_filled(std::uint32_t slot) noexcept {
  return std::move(names_.owned_as<std::string>(slot));
}

std::optional<std::uint32_t> NameIndex::index_filled(std::uint32_t slot) {
  const std::string& name = this->name(slot);
  if (name.empty()) return std::nullopt;
  if (const auto twin = find(name)) return twin;
  make_room(1);
  put(hash(name), slot);
  return std::nullopt;
}

bool NameIndex::is_indexed(std::uint32_t slot) const noexcept {
  return name(slot).empty() || find(name(slot)) == slot;
}

bool NameIndex::check() const noexcept {
  std::size_t entries = 0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < buckets_; ++i) {
    entries += is_entry(bucket(i)) ? 1 : 0;
    used += bucket(i) != 0 ? 1 : 0;
  }
  return entries == named_ && used == used_ && (buckets_ == 0 || used_ < buckets_) &&
         names_.check() && index_.check();
}

}  // namespace hdb::detail
