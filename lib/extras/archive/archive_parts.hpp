// What the parts of Archive share.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "archive/version_source.hpp"
#include "archive/version_writer.hpp"
#include "hdb/archive.hpp"

namespace hdb {

struct Archive::Parts {
  /// What is known of a world. Locked for the time of a put.
  struct World {
    std::mutex mutex;
    archive::PreviousSave last;
    // The last capture that was put and got the next number.
    const void* database = nullptr;
    std::uint64_t moment = 0;
  };

  Parts(std::unique_ptr<ArchiveBackend> store, const ArchiveOptions& how)
      : backend(std::move(store)),
        objects(std::make_shared<archive::ObjectStore>(backend, how.cache_bytes)),
        options(how) {}

  /// Archive::put of a capture, or of any image without one. Errors: see there.
  [[nodiscard]] Result<ArchivePut> put(const ImageSource& image, const Snapshot& capture,
                                       const ArchivePutOptions& options);
  [[nodiscard]] Result<ArchivePut> put_once(const ImageSource& image, const Snapshot& capture,
                                            const ArchivePutOptions& options);
  /// Errors: version_not_found, bad_archive, foreign_archive; each names the save.
  [[nodiscard]] Result<archive::Manifest> manifest(const ArchiveVersion& version);
  /// Checks that the manifest is of this archive and of this name. Errors: as above.
  [[nodiscard]] Result<archive::Manifest> check_manifest(const ArchiveVersion& version,
                                                         std::span<const std::byte> bytes) const;
  [[nodiscard]] Result<std::vector<ArchiveVersion>> versions(std::string_view world);
  /// What `versions` could not see: appended to `faults`; without `faults`, it ends the call.
  [[nodiscard]] Status check_list(std::vector<ArchiveFault>* faults);
  /// The manifests of these saves, in their order. A manifest that cannot be read is left out and
  /// appended to `faults`; without `faults`, it ends the call. Errors: as manifest.
  [[nodiscard]] Result<std::vector<archive::Manifest>> manifests(
      std::span<const ArchiveVersion> versions, std::vector<ArchiveFault>* faults = nullptr);
  [[nodiscard]] Result<std::unique_ptr<archive::VersionSource>> source(
      const ArchiveVersion& version, const ReadLimits& limits);
  /// The error of reading the manifest of a save that `versions` listed.
  [[nodiscard]] Error listed(Error error, const ArchiveVersion& version) const;
  /// The error with the archive and the save that it concerns.
  [[nodiscard]] Error about(Error error, const ArchiveVersion& version) const;

  std::shared_ptr<ArchiveBackend> backend;
  std::shared_ptr<archive::ObjectStore> objects;
  ArchiveOptions options;
  std::mutex mutex;
  std::map<std::string, World, std::less<>> worlds;  // guarded by mutex; entries stay
};

}  // namespace hdb
