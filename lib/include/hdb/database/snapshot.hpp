// A captured state of a database: immutable, cheap to copy, usable on any thread, may outlive its database.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "hdb/base/error.hpp"
#include "hdb/base/hash.hpp"
#include "hdb/format/image.hpp"

namespace hdb {

struct SnapshotData;

/// A captured state. Copying shares it. Dropping the last copy gives its pages back, on whatever thread.
class Snapshot {
 public:
  /// An empty snapshot, of no database.
  Snapshot() = default;
  explicit Snapshot(std::shared_ptr<const SnapshotData> data) : data_(std::move(data)) {}

  [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }

  /// The hash of the whole state but for tables of another Scope than full (FORMAT.md, "State hash"): equal for equal states, whatever the page sizes, codecs,
  /// threads or machine.
  /// Errors: a record's `serialize` that fails is a broken program and ends it; try_state_hash returns the error.
  /// Complexity: O(changed pages) when other snapshots of the same database were hashed before; the result is kept.
  [[nodiscard]] Hash128 state_hash() const;
  [[nodiscard]] Result<Hash128> try_state_hash() const;

  /// Live records in all tables captured.
  [[nodiscard]] std::uint64_t live_count() const noexcept;
  /// The descriptors of the tables captured, in rising order of names.
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const noexcept;

  /// Memory of the pages that only this one of the two keeps, in bytes; what records own outside of pages (texts, lists) is
  /// not counted. Complexity: O(pages).
  [[nodiscard]] std::uint64_t bytes_not_in(const Snapshot& other) const noexcept;

  /// The snapshot as an Image for the writer: its saved tables.
  [[nodiscard]] std::unique_ptr<ImageSource> image(Metadata metadata, Bytes thumbnail = {}) const;

  [[nodiscard]] const std::shared_ptr<const SnapshotData>& data() const noexcept { return data_; }

 private:
  std::shared_ptr<const SnapshotData> data_;
};

}  // namespace hdb
