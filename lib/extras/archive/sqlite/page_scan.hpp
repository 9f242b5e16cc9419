// The rows of an archive file, read page by page without the trees that lead to the pages: damage
// of one page costs only the rows on it, also if it is the page of the schema.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <sqlite3.h>

#include "archive/object.hpp"
#include "hdb/archive_backend.hpp"

namespace hdb::archive {

/// Bytes of a page of an archive file.
inline constexpr std::uint32_t kPageBytes = 4096;

/// Rows as they were when the scan was made; the bytes of chunks are read when they are asked for.
/// Whoever reads them compares them with their hashes.
class PageScan {
 public:
  /// Reads all pages of the file. Null: it cannot be read.
  [[nodiscard]] static std::unique_ptr<PageScan> make(const std::string& path);
  ~PageScan();
  PageScan(const PageScan&) = delete;
  PageScan& operator=(const PageScan&) = delete;

  /// The id that most manifests have, else the one in hdb_archive; nothing: not an archive.
  [[nodiscard]] const std::optional<Hash128>& archive_id() const noexcept { return archive_id_; }
  /// Manifests by their keys, each with a hash that matches.
  [[nodiscard]] const std::map<ObjectKey, Bytes>& saves() const noexcept { return saves_; }
  /// The rows of hdb_save, read without its index; nothing: the table cannot be read to its end.
  [[nodiscard]] std::optional<std::uint64_t> count_saves() const;
  /// The stored bytes of a chunk; nothing: no row has it.
  [[nodiscard]] std::optional<Bytes> chunk(const ObjectId& id) const;

 private:
  struct Place {
    std::uint32_t page = 0;
    std::uint32_t at = 0;  // offset of the cell in the page
  };

  PageScan() = default;
  [[nodiscard]] bool read_page(std::uint32_t number, std::span<std::byte> out) const;
  void scan(std::uint32_t pages);
  [[nodiscard]] std::vector<bool> free_pages(std::uint32_t pages) const;
  [[nodiscard]] std::optional<Bytes> payload(std::span<const std::byte> page,
                                             std::uint32_t at) const;
  void add_row(Bytes row, Place place);

  sqlite3* database_ = nullptr;
  sqlite3_file* file_ = nullptr;
  std::optional<Hash128> archive_id_;
  std::map<ObjectKey, Bytes> saves_;
  std::unordered_map<ObjectId, Place, HashOfId> chunks_;
};

}  // namespace hdb::archive
