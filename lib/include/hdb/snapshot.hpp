// A captured state of a database: immutable, cheap to copy, usable on any thread, may outlive its
// database.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/file_info.hpp"
#include "hdb/hash.hpp"
#include "hdb/io.hpp"
#include "hdb/schema.hpp"

namespace hdb {

class ImageSource;
struct SnapshotData;

/// What state_hash() throws where there is no hash: try_state_hash() returns the error.
class StateHashFailure final : public std::runtime_error {
 public:
  explicit StateHashFailure(Error error)
      : std::runtime_error(error.message()),
        error_(std::make_shared<const Error>(std::move(error))) {}
  [[nodiscard]] const Error& error() const noexcept { return *error_; }

 private:
  std::shared_ptr<const Error> error_;  // copying an exception must not throw
};

/// A captured state. Copying shares it. Dropping the last copy gives its pages back, on whatever
/// thread.
class Snapshot {
 public:
  /// An empty snapshot, of no database.
  Snapshot() = default;
  explicit Snapshot(std::shared_ptr<const SnapshotData> data) : data_(std::move(data)) {}

  [[nodiscard]] explicit operator bool() const noexcept { return data_ != nullptr; }

  /// The hash of the whole state but for tables of another Scope than full (FORMAT.md, "State
  /// hash"): equal for equal states, whatever the page sizes, codecs, threads or machine.
  /// Errors: schema_drift where a record leaves its schema while it is saved, naming table, slot,
  /// generation and field.
  /// Complexity: O(changed pages) when other snapshots of the same database were hashed before; the
  /// result is kept.
  [[nodiscard]] Result<Hash128> try_state_hash() const;
  /// As try_state_hash, for programs whose records keep to their schemas; where one does not,
  /// throws StateHashFailure.
  [[nodiscard]] Hash128 state_hash() const;

  /// Live records in all tables captured.
  [[nodiscard]] std::uint64_t live_count() const noexcept;
  /// The descriptors of the tables captured, in rising order of names.
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const noexcept;

  /// Memory of the pages that only this one of the two keeps, in bytes; what records own outside of
  /// pages (texts, lists) is not counted. Complexity: O(pages).
  [[nodiscard]] std::uint64_t bytes_not_in(const Snapshot& other) const noexcept;

  /// The snapshot as an Image for the writer: its saved tables.
  [[nodiscard]] std::unique_ptr<ImageSource> image(Metadata metadata, Bytes thumbnail = {}) const;

  [[nodiscard]] const std::shared_ptr<const SnapshotData>& data() const noexcept { return data_; }

 private:
  std::shared_ptr<const SnapshotData> data_;
};

}  // namespace hdb
