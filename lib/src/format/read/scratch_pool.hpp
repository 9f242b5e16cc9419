// Decoding memory that is re-used.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <utility>

#include "format/columns/chunk.hpp"

namespace hdb::format {

/// As many as threads ever decoded at once.
class ScratchPool {
 public:
  class Lease {
   public:
    explicit Lease(ScratchPool& pool) : pool_(pool), scratch_(pool.take()) {}
    ~Lease() { pool_.give_back(std::move(scratch_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ChunkDecoder& operator*() noexcept { return *scratch_; }
    ChunkDecoder* operator->() noexcept { return scratch_.get(); }

   private:
    ScratchPool& pool_;
    std::unique_ptr<ChunkDecoder> scratch_;
  };

 private:
  static constexpr std::size_t kKeptBytes = std::size_t{4} << 20;
  static constexpr std::size_t kKeptScratches = 64;

  std::unique_ptr<ChunkDecoder> take() {
    {
      const std::lock_guard lock(mutex_);
      if (count_ != 0) return std::move(idle_[--count_]);
    }
    return std::make_unique<ChunkDecoder>();
  }

  void give_back(std::unique_ptr<ChunkDecoder> scratch) noexcept {
    scratch->block.trim(kKeptBytes);
    scratch->filtered.trim(kKeptBytes);
    const std::lock_guard lock(mutex_);
    if (count_ < kKeptScratches) idle_[count_++] = std::move(scratch);
  }

  std::mutex mutex_;
  std::array<std::unique_ptr<ChunkDecoder>, kKeptScratches> idle_;
  std::size_t count_ = 0;
};

}  // namespace hdb::format
