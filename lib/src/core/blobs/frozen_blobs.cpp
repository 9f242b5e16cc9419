// Reading what captures see of a blob table, and comparing what two of them see of a table.
#include "core/blobs/frozen_blobs.hpp"

#include <utility>

#include "hdb/assert.hpp"

namespace hdb::detail {

void FrozenBuffer::read(std::uint64_t offset, std::span<std::byte> out) const {
  HDB_REQUIRE(offset <= end_ && out.size() <= end_ - offset,
              "the bytes are not within the capture");
  if (!out.empty()) bytes_.read(offset, out.size(), out.data());
}

FrozenTable seen_at(const FrozenTable& table, const std::shared_ptr<const Moment>& moment,
                    bool is_now) {
  FrozenTable seen = table;
  seen.moment = moment;
  seen.slots.see(moment, is_now);
  seen.records.see(moment, is_now);
  seen.slot_of.see(moment, is_now);
  seen.names.see(moment, is_now);
  if (table.blobs == nullptr) return seen;
  auto blobs = std::make_shared<FrozenBlobs>(*table.blobs);
  blobs->buffer.see(moment, is_now);
  seen.blobs = std::move(blobs);
  return seen;
}

bool is_same_state(const FrozenTable& a, const FrozenTable& b) noexcept {
  return a.slots.is_same_state(b.slots) && a.records.is_same_array(b.records) &&
         a.slot_of.is_same_array(b.slot_of) && a.names.is_same_state(b.names) &&
         a.flush_cursor == b.flush_cursor && a.sort == b.sort &&
         (a.blobs == nullptr || a.blobs->is_same_state(*b.blobs));
}

}  // namespace hdb::detail
