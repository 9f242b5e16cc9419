// Archive: opening, listing, reading and removing saves.
#include "hdb/archive.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "archive/archive_parts.hpp"
#include "archive/utf8_path.hpp"
#include "format/frame/catalog.hpp"
#include "hdb/atomic_file.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb {

using archive::Manifest;

std::string ArchiveVersion::text() const { return world + "/" + std::to_string(sequence); }

// --- parts

Error Archive::Parts::about(Error error, const ArchiveVersion& version) const {
  if (error.file.empty()) error.file = backend->place();
  return std::move(error).in("save " + version.text());
}

Error Archive::Parts::listed(Error error, const ArchiveVersion& version) const {
  if (error.code != ErrorCode::version_not_found) return error;
  return about({ErrorCode::bad_archive, "the manifest of the save is lost"}, version);
}

Result<Manifest> Archive::Parts::check_manifest(const ArchiveVersion& version,
                                                std::span<const std::byte> bytes) const {
  auto manifest = archive::decode_manifest(bytes);
  if (!manifest) return fail(about(std::move(manifest.error()), version));
  if (manifest->archive_id != backend->archive_id()) {
    return fail(about(
        {ErrorCode::foreign_archive, "the manifest belongs to the archive " +
                                         manifest->archive_id.hex() + ", and not to this one"},
        version));
  }
  if (manifest->world != version.world || manifest->sequence != version.sequence) {
    return fail(about(
        {ErrorCode::bad_archive, "the manifest is that of the save " +
                                     ArchiveVersion{manifest->world, manifest->sequence}.text()},
        version));
  }
  return manifest;
}

Result<std::vector<Manifest>> Archive::Parts::manifests(std::span<const ArchiveVersion> versions,
                                                        std::vector<ArchiveFault>* faults) {
  std::vector<ObjectKey> keys;
  keys.reserve(versions.size());
  for (const ArchiveVersion& version : versions)
    keys.push_back(archive::save_key(version.world, version.sequence));
  const auto found = backend->get(keys);
  if (!found) return fail(found.error());
  std::vector<Manifest> manifests;
  manifests.reserve(versions.size());
  for (std::size_t i = 0; i < versions.size(); ++i) {
    auto manifest =
        i < found->size() && (*found)[i]
            ? check_manifest(versions[i], *(*found)[i])
            : Result<Manifest>(fail(Error{ErrorCode::version_not_found,
                                          "the archive has no save " + versions[i].text(),
                                          kNoOffset,
                                          {},
                                          backend->place()}));
    if (manifest) {
      manifests.push_back(std::move(*manifest));
    } else if (faults != nullptr) {
      faults->push_back({listed(std::move(manifest.error()), versions[i]), {versions[i]}});
    } else {
      return fail(std::move(manifest.error()));
    }
  }
  return manifests;
}

Status Archive::check_world(std::string_view world) { return archive::check_world(world); }

Result<Manifest> Archive::Parts::manifest(const ArchiveVersion& version) {
  if (Status status = archive::check_world(version.world); !status)
    return fail(std::move(status.error()));
  auto found = manifests({&version, 1});
  if (!found) return fail(std::move(found.error()));
  return std::move(found->front());
}

Result<std::vector<ArchiveVersion>> Archive::Parts::versions(std::string_view world) {
  std::string prefix(kSaveKeys);
  if (!world.empty()) {
    if (Status status = archive::check_world(world); !status)
      return fail(std::move(status.error()));
    prefix.append(world).append("/");
  }
  const auto listed = backend->list(prefix);
  if (!listed) return fail(listed.error());
  std::vector<ArchiveVersion> versions;
  versions.reserve(listed->size());
  for (const ListedObject& object : *listed) {
    if (auto name = archive::parse_save_key(object.key))
      versions.push_back({std::move(name->world), name->sequence});
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

Status Archive::Parts::check_list(std::vector<ArchiveFault>* faults) {
  auto own = backend->list_faults();
  if (!own) return fail(std::move(own.error()));
  if (faults == nullptr && !own->empty()) return fail(std::move(own->front()));
  for (Error& fault : *own) faults->push_back({std::move(fault), {}});
  return {};
}

Result<std::unique_ptr<archive::VersionSource>> Archive::Parts::source(
    const ArchiveVersion& version, const ReadLimits& limits) {
  auto found = manifest(version);
  if (!found) return fail(std::move(found.error()));
  auto opened = archive::VersionSource::open(objects, std::move(*found), limits);
  if (!opened) return fail(about(std::move(opened.error()), version));
  return opened;
}

// --- the face

Archive::Archive(std::unique_ptr<Parts> parts) noexcept : parts_(std::move(parts)) {}
Archive::~Archive() = default;

bool is_archive_url(std::string_view place) noexcept {
  return place.starts_with("postgresql:") || place.starts_with("postgres:");
}

Result<std::unique_ptr<Archive>> Archive::open(const std::string& place,
                                               const ArchiveOptions& options) {
  if (is_archive_url(place)) {
    auto backend = open_archive_url(place, options);
    if (!backend) return fail(std::move(backend.error()));
    return over(std::move(*backend), options);
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(detail::path_of_utf8(place), ignored)) {
    const bool is_old =
        std::filesystem::exists(detail::path_of_utf8(place + "/hdb-archive"), ignored);
    return fail(Error{ErrorCode::not_an_archive,
                      is_old ? "the folder is an archive of an older version; get its saves with "
                               "that version, and put them into a new archive NAME.hdba"
                             : "a folder is not an archive; an archive is a file NAME.hdba",
                      kNoOffset,
                      {},
                      place});
  }
  if (options.create && !place.ends_with(".hdba")) {
    return fail(Error{
        ErrorCode::bad_path, "the name of an archive must end in .hdba", kNoOffset, {}, place});
  }
  auto backend = open_archive_file(place, options);
  if (!backend) return fail(std::move(backend.error()));
  return over(std::move(*backend), options);
}

std::unique_ptr<Archive> Archive::over(std::unique_ptr<ArchiveBackend> backend,
                                       const ArchiveOptions& options) {
  return std::unique_ptr<Archive>(
      new Archive(std::make_unique<Parts>(std::move(backend), options)));
}

ArchiveBackend& Archive::backend() noexcept { return *parts_->backend; }

Result<std::vector<ArchiveVersion>> Archive::versions(std::string_view world) {
  return parts_->versions(world);
}

Result<ArchiveVersion> Archive::latest(std::string_view world, std::vector<ArchiveFault>* faults) {
  auto all = parts_->versions(world);
  if (!all) return fail(std::move(all.error()));
  if (auto whole = parts_->check_list(faults); !whole) {
    if (!all->empty()) whole.error().what += "; the last one of the list is " + all->back().text();
    return fail(std::move(whole.error()));
  }
  if (!all->empty()) return all->back();
  return fail(Error{ErrorCode::version_not_found,
                    "the archive has no save of the world " + std::string(world),
                    kNoOffset,
                    {},
                    parts_->backend->place()});
}

Result<std::vector<ArchivedSave>> Archive::list(std::string_view world,
                                                std::vector<ArchiveFault>* faults) {
  const auto names = parts_->versions(world);
  if (!names) return fail(names.error());
  const auto manifests = parts_->manifests(*names, faults);
  if (!manifests) return fail(manifests.error());
  if (auto whole = parts_->check_list(faults); !whole) return fail(std::move(whole.error()));
  std::vector<ArchivedSave> saves;
  saves.reserve(manifests->size());
  for (const Manifest& manifest : *manifests) {
    ArchivedSave save;
    save.version = {manifest.world, manifest.sequence};
    auto metadata = format::decode_metadata(manifest.metadata, 0);
    if (!metadata) return fail(parts_->about(std::move(metadata.error()), save.version));
    save.metadata = std::move(*metadata);
    save.state_hash = manifest.state_hash;
    save.file_bytes = manifest.file_bytes;
    save.new_objects = manifest.new_objects;
    save.new_bytes = manifest.new_bytes;
    saves.push_back(std::move(save));
  }
  return saves;
}

Result<std::unique_ptr<ByteSource>> Archive::source(const ArchiveVersion& version,
                                                    const ReadLimits& limits) {
  auto opened = parts_->source(version, limits);
  if (!opened) return fail(std::move(opened.error()));
  return std::unique_ptr<ByteSource>(std::move(*opened));
}

Result<std::unique_ptr<Reader>> Archive::read(const ArchiveVersion& version,
                                              const ReadOptions& options) {
  auto opened = source(version, options.limits);
  if (!opened) return fail(std::move(opened.error()));
  auto reader = Reader::open(std::move(*opened), options);
  if (!reader) return fail(parts_->about(std::move(reader.error()), version));
  return reader;
}

Result<SaveReport> Archive::get(const ArchiveVersion& version, const std::string& path,
                                const SaveOptions& options) {
  auto reader = read(version, {.limits = options.write.limits});
  if (!reader) return fail(std::move(reader.error()));
  const FileInfo info = (*reader)->info();
  const auto image = image_of(std::shared_ptr<const Reader>(std::move(*reader)));
  auto file = AtomicFile::create(path, options.file);
  if (!file) return fail(std::move(file.error()));
  auto written = write_image(*image, **file, options.write);
  if (!written) return fail(parts_->about(std::move(written.error()), version));
  if (Status same = check_state_hash(info, written->state_hash); !same)
    return fail(parts_->about(std::move(same.error()), version));
  auto committed = (*file)->commit();
  if (!committed) return fail(std::move(committed.error()));
  SaveReport report;
  report.outcome = committed->outcome;
  report.problem = std::move(committed->problem);
  report.backup_problem = std::move(committed->backup_problem);
  report.path = path;
  report.bytes = written->bytes;
  report.raw_bytes = written->raw_bytes;
  report.state_hash = written->state_hash;
  return report;
}

Status Archive::remove(const ArchiveVersion& version) {
  if (auto found = parts_->manifest(version);
      !found && found.error().code == ErrorCode::version_not_found) {
    return fail(std::move(found.error()));  // a damaged one can be removed
  }
  return remove({&version, 1});
}

Status Archive::remove(std::span<const ArchiveVersion> versions) {
  // A collection that runs meanwhile has seen the manifests and needs them.
  const auto hold = parts_->backend->hold(HoldKind::write, parts_->options.lock_timeout);
  if (!hold) return fail(hold.error());
  std::vector<ObjectKey> keys;
  for (const ArchiveVersion& version : versions)
    keys.push_back(archive::save_key(version.world, version.sequence));
  return parts_->backend->remove(keys);
}

}  // namespace hdb
