// The compressed packs and catalogs of the last write, so that the next one does not compress again
// what is the same.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <span>

#include "hdb/hash.hpp"
#include "hdb/io.hpp"

namespace hdb::format {

/// Payloads, found by the hash of what they hold. One thread at a time.
class CompressedBlocks {
 public:
  /// Counts its memory in `bytes_used`, which others add to, and keeps nothing above `max_bytes`.
  CompressedBlocks(std::atomic<std::uint64_t>& bytes_used, std::uint64_t max_bytes) noexcept
      : bytes_used_(bytes_used), max_bytes_(max_bytes) {}
  ~CompressedBlocks() { clear(); }
  CompressedBlocks(const CompressedBlocks&) = delete;
  CompressedBlocks& operator=(const CompressedBlocks&) = delete;

  /// A write begins.
  void begin() noexcept;
  /// The payload of a block that holds this; null: not known. Valid until finish.
  [[nodiscard]] const Bytes* find(const Hash128& content) noexcept;
  /// Keeps a payload, unless memory or room is missing.
  void add(const Hash128& content, std::span<const std::byte> payload) noexcept;
  /// The write succeeded: drops what it did not use.
  void finish() noexcept;
  void clear() noexcept;
  /// The bytes that this write found and an earlier one had added.
  [[nodiscard]] std::uint64_t reused_bytes() const noexcept { return reused_bytes_; }

 private:
  struct Entry {
    Bytes payload;
    std::uint64_t write = 0;  // the last one that used it
  };
  using Entries = std::map<Hash128, Entry>;
  [[nodiscard]] static std::uint64_t memory_of(const Entry& entry) noexcept;
  Entries::iterator drop(Entries::iterator at) noexcept;

  std::atomic<std::uint64_t>& bytes_used_;
  const std::uint64_t max_bytes_;
  Entries entries_;
  std::uint64_t write_ = 0;  // the present one
  std::uint64_t reused_bytes_ = 0;
};

}  // namespace hdb::format
