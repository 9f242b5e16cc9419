// A save of an archive as a file with codec none: its bytes are made when they are read.
#pragma once

#include <memory>
#include <vector>

#include "archive/manifest.hpp"
#include "archive/object_store.hpp"
#include "hdb/io.hpp"

namespace hdb::archive {

/// Several threads may read at once.
class VersionSource final : public ByteSource {
 public:
  /// Reads the list of blocks. Errors: bad_archive, missing_object, limit_exceeded.
  [[nodiscard]] static Result<std::unique_ptr<VersionSource>> open(
      std::shared_ptr<ObjectStore> store, Manifest manifest, const ReadLimits& limits);

  [[nodiscard]] Result<std::uint64_t> size() override { return manifest_.file_bytes; }
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) override;

  [[nodiscard]] const std::vector<RootEntry>& entries() const noexcept { return entries_; }
  [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }

 private:
  VersionSource(std::shared_ptr<ObjectStore> store, Manifest manifest,
                std::vector<RootEntry> entries);

  [[nodiscard]] Status read_block(const RootEntry& entry, std::uint64_t offset,
                                  std::span<std::byte> out);
  [[nodiscard]] Status read_payload(const RootEntry& entry, std::uint64_t offset,
                                    std::span<std::byte> out);
  [[nodiscard]] Status read_chunks(const RootEntry& entry, std::uint64_t offset,
                                   std::span<std::byte> out);

  std::shared_ptr<ObjectStore> store_;
  Manifest manifest_;
  std::vector<RootEntry> entries_;
  Bytes header_;
  std::uint64_t tail_offset_ = 0;
  Bytes tail_;  // directory and footer
};

}  // namespace hdb::archive
