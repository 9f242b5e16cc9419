// An archive in a file, and in further files beside it if the first one is damaged.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "archive/sqlite/page_scan.hpp"
#include "archive/sqlite/sqlite_connection.hpp"

namespace hdb::archive {

// NAME.hdba, NAME.hdba-2, ...: each an SQLite file with the tables of an archive and the same id.
//
//   FA1  Damage of one page costs only the saves that need a row on it: what the trees of SQLite do
//        not lead to is searched in the pages.
//   FA2  Nothing is written into a file that is known to be damaged: puts make the next file.
//   FA3  Nothing is collected unless all files were checked: a damaged index could lead to rows
//        that saves need.
//   FA4  A list of saves that may have gaps is reported as such: neither the index nor the table
//        can be read from its first row to its last.
class FileArchive final : public ArchiveBackend {
 public:
  /// Errors: as open_archive_file.
  [[nodiscard]] static Result<std::unique_ptr<ArchiveBackend>> open(const SqlitePlace& place,
                                                                    const ArchiveOptions& options);

  Result<std::vector<bool>> put_if_absent(std::span<const ArchiveObject> objects) override;
  Result<std::vector<std::optional<Bytes>>> get(std::span<const ObjectKey> keys) override;
  Result<std::vector<bool>> exists_many(std::span<const ObjectKey> keys) override;
  Result<std::vector<ListedObject>> list(std::string_view prefix) override;
  Result<std::vector<Error>> list_faults() override;
  Status remove(std::span<const ObjectKey> keys) override;
  Result<std::unique_ptr<ArchiveHold>> hold(HoldKind kind,
                                            std::chrono::milliseconds timeout) override;
  Result<std::vector<Error>> check_store() override;
  const Hash128& archive_id() const noexcept override { return id_; }
  const std::string& place() const noexcept override { return place_.path; }

 private:
  class Hold;
  struct File;
  using Found = std::vector<std::optional<Bytes>>;

  FileArchive(const SqlitePlace& place, const ArchiveOptions& options)
      : place_(place), options_(options) {}
  [[nodiscard]] Status open_file(bool create);
  // The files, with those that other programs made.
  [[nodiscard]] Result<std::vector<std::shared_ptr<File>>> files();
  [[nodiscard]] static Error damage_of(File& file, const std::string& consequence);
  [[nodiscard]] Status get_from(File& file, std::span<const ObjectKey> keys, Found& found);

  const SqlitePlace place_;
  const ArchiveOptions options_;
  Hash128 id_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<File>> files_;  // guarded by mutex_
};

}  // namespace hdb::archive
