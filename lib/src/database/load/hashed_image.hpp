// HashedImage: hashes what a load reads of a file, to compare it with the state hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/using_detail.hpp"
#include "evolve/image_filter.hpp"

namespace hdb {

/// Passes an image through. Free lists are read as a whole.
//
// Threads: as ImageSource.
class HashedImage final : public evolve::ImageFilter {
 public:
  explicit HashedImage(const ImageSource& below)
      : ImageFilter(below), hashes_(below.tables().size()) {}

  /// Of the row groups and of the free list of a table that were read. Each group counts as often
  /// as it was read.
  [[nodiscard]] const TableHashes& hashes(std::size_t table) const { return hashes_[table]; }

  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, bool,
                                  RowGroup& out) const override {
    if (auto read = below_.read_group(table, group, true, out); !read) return read;
    const std::lock_guard lock(mutex_);
    hashes_[table].records += *out.record_hash;
    return {};
  }
  [[nodiscard]] Status read_slots(std::size_t table, std::uint64_t group,
                                  RowGroup& out) const override {
    return below_.read_slots(table, group, out);
  }
  [[nodiscard]] Status read_free_list(std::size_t table, std::uint64_t first,
                                      std::span<std::uint32_t> out) const override {
    if (auto read = below_.read_free_list(table, first, out); !read) return read;
    FreeListHash hash(tables()[table]);
    hash.add(out);
    const std::lock_guard lock(mutex_);
    hashes_[table].free_list = hash.sum();
    return {};
  }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<TableHashes> hashes_;
};

}  // namespace hdb
