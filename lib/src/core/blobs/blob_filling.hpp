// What is known of the blocks of a blob table while it is filled. Private to core.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "hdb/detail/core/blobs/blob_core.hpp"

namespace hdb {

struct BlobCore::Filling {
  struct Place {
    std::uint64_t end;  // of the bytes that the block takes
    std::uint32_t slot;
  };
  std::mutex mutex;
  std::map<std::uint64_t, Place> by_offset;  // guarded by mutex
};

}  // namespace hdb
