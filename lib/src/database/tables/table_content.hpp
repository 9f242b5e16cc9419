// The content of a table, of records or of blobs: prepared aside, captured, put in place.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "database/tables/snapshot_data.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"
#include "hdb/detail/database/tables/table_entry.hpp"

namespace hdb {

/// A next content of a table, beside the running one.
class TableContent {
 public:
  TableContent() = default;
  /// Empty, of the table's options and pool. A blob table's takes the memory of its buffer.
  [[nodiscard]] static TableContent empty_of(const TableEntry& entry) {
    TableContent content;
    if (entry.blobs != nullptr) {
      content.blobs_ = entry.blobs->make_empty();
    } else {
      content.records_ = entry.core->make_empty();
    }
    return content;
  }

  [[nodiscard]] TableCore& core() noexcept { return blobs_ ? blobs_->table() : *records_; }
  TableCore* operator->() noexcept { return &core(); }
  /// Null in tables of records.
  [[nodiscard]] BlobCore* blobs() noexcept { return blobs_.get(); }

  void begin_fill(const SlotCounters& counters) {
    if (blobs_) {
      blobs_->begin_fill(counters);
    } else {
      records_->begin_fill(counters);
    }
  }
  void thaw(const SnapshotTable& frozen) {
    if (blobs_) {
      blobs_->thaw(*frozen.blobs);
    } else {
      records_->thaw(frozen.frozen());
    }
  }
  /// Puts it in the place of the running content. Cannot fail after prepare_install.
  static void prepare_install(TableEntry& entry) {
    if (entry.blobs != nullptr) {
      entry.blobs->prepare_adopt();
    } else {
      entry.core->prepare_adopt();
    }
  }
  void install(TableEntry& entry) noexcept {
    if (blobs_) {
      entry.blobs->adopt(*blobs_);
    } else {
      entry.core->adopt(*records_);
    }
  }

 private:
  std::unique_ptr<TableCore> records_;
  std::unique_ptr<BlobCore> blobs_;
};

/// Captures a content.
inline void freeze(TableCore& core, BlobCore* blobs, SnapshotTable& out) {
  if (blobs != nullptr) {
    out.blobs = std::make_unique<FrozenBlobs>(blobs->freeze());
  } else {
    out.records = core.freeze();
  }
}
inline void freeze(const TableEntry& entry, SnapshotTable& out) {
  freeze(*entry.core, entry.blobs, out);
}
inline void freeze(TableContent& content, SnapshotTable& out) {
  freeze(content.core(), content.blobs(), out);
}

/// Brings a captured content back. Cannot fail after prepare_thaw.
inline void prepare_thaw(const SnapshotTable& frozen) {
  if (frozen.blobs) {
    frozen.entry->blobs->prepare_thaw(*frozen.blobs);
  } else {
    frozen.entry->core->prepare_thaw(frozen.records);
  }
}
inline void thaw(const SnapshotTable& frozen) {
  if (frozen.blobs) {
    frozen.entry->blobs->thaw(*frozen.blobs);
  } else {
    frozen.entry->core->thaw(frozen.records);
  }
}

}  // namespace hdb
