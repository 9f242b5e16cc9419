// Keeping compressed payloads from one write to the next.
#include "format/write/compressed_blocks.hpp"

#include <new>
#include <utility>

namespace hdb::format {

std::uint64_t CompressedBlocks::memory_of(const Entry& entry) noexcept {
  constexpr std::uint64_t kLinks = 4 * sizeof(void*);  // of a node of the map
  return sizeof(Entries::value_type) + kLinks + entry.payload.capacity();
}

void CompressedBlocks::begin() noexcept {
  ++write_;
  reused_bytes_ = 0;
}

const Bytes* CompressedBlocks::find(const Hash128& content) noexcept {
  const auto found = entries_.find(content);
  if (found == entries_.end()) return nullptr;
  Entry& entry = found->second;
  if (std::exchange(entry.write, write_) != write_) reused_bytes_ += entry.payload.size();
  return &entry.payload;
}

void CompressedBlocks::add(const Hash128& content, std::span<const std::byte> payload) noexcept {
  try {
    Entry entry{Bytes(payload.begin(), payload.end()), write_};
    const std::uint64_t bytes = memory_of(entry);
    if (bytes_used_.fetch_add(bytes) + bytes > max_bytes_) {
      bytes_used_ -= bytes;
      return;
    }
    struct Counted {
      std::atomic<std::uint64_t>* bytes_used;
      std::uint64_t bytes;
      ~Counted() {
        if (bytes_used != nullptr) *bytes_used -= bytes;
      }
    } counted{&bytes_used_, bytes};
    if (entries_.try_emplace(content, std::move(entry)).second) counted.bytes_used = nullptr;
  } catch (const std::bad_alloc&) {
  }
}

CompressedBlocks::Entries::iterator CompressedBlocks::drop(Entries::iterator at) noexcept {
  bytes_used_ -= memory_of(at->second);
  return entries_.erase(at);
}

void CompressedBlocks::finish() noexcept {
  for (auto at = entries_.begin(); at != entries_.end();) {
    at = at->second.write == write_ ? std::next(at) : drop(at);
  }
}

void CompressedBlocks::clear() noexcept {
  for (auto at = entries_.begin(); at != entries_.end();) at = drop(at);
}

}  // namespace hdb::format
