// The backend of archives in folders: opening and making one, and the five functions.
#include <algorithm>
#include <utility>

#include "archive/folder_compaction.hpp"
#include "archive/folder_index.hpp"
#include "archive/folder_lock.hpp"
#include "files/save_lock.hpp"
#include "files/save_target.hpp"
#include "hdb/archive_backend.hpp"

namespace hdb {
namespace archive {
namespace {

constexpr std::string_view kMarkerHead = "hdb archive 1\nid ";
constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kMarkerBytes = kMarkerHead.size() + kIdDigits + 1;

std::optional<std::uint64_t> parse_hex(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c < 'a' || c > 'f')) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(is_digit ? c - '0' : c - 'a' + 10);
  }
  return value;
}

class FolderBackend final : public ArchiveBackend {
 public:
  FolderBackend(FileSystem& files, OwnedDescriptor folder, const std::string& path,
                const Hash128& id)
      : files_(files),
        folder_(std::move(folder)),
        place_(path),
        id_(id),
        index_(files, folder_.get(), path) {}

  Result<std::vector<bool>> put_if_absent(std::span<const ArchiveObject> objects) override;
  Result<std::vector<std::optional<Bytes>>> get(std::span<const ObjectKey> keys) override;
  Result<std::vector<bool>> exists_many(std::span<const ObjectKey> keys) override;
  Result<std::vector<ListedObject>> list(std::string_view prefix) override {
    if (Status status = index_.refresh(); !status) return fail(std::move(status.error()));
    return index_.list(prefix);
  }
  Status remove(std::span<const ObjectKey> keys) override;
  Result<std::unique_ptr<ArchiveHold>> hold(HoldKind kind,
                                            std::chrono::milliseconds timeout) override;
  const Hash128& archive_id() const noexcept override { return id_; }
  const std::string& place() const noexcept override { return place_; }
  Result<std::vector<Fault>> check_store() override;

 private:
  [[nodiscard]] Status remove_save(const SaveName& save);
  [[nodiscard]] FolderCompaction compaction() {
    return FolderCompaction(files_, folder_.get(), place_, id_, index_);
  }
  [[nodiscard]] Status sync() {
    const auto synced = files_.sync_directory(folder_.get());
    if (synced) return {};
    return fail(os_failure(synced.error(), "syncing the folder", place_));
  }

  FileSystem& files_;
  OwnedDescriptor folder_;
  const std::string place_;
  const Hash128 id_;
  FolderIndex index_;
};

Result<std::vector<bool>> FolderBackend::put_if_absent(std::span<const ArchiveObject> objects) {
  std::vector<bool> stored(objects.size(), false);
  std::optional<SaveName> save;
  std::unique_ptr<PackWriter> writer;
  const auto open = [&]() -> Status {
    if (writer != nullptr) return {};
    auto created = PackWriter::create(files_, folder_.get(), id_, place_);
    if (!created) return fail(std::move(created.error()));
    writer = std::move(*created);
    return {};
  };
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto id = id_of(objects[i].key);
    if (!id) {
      save = parse_save_key(objects[i].key);
      if (!save || i + 1 != objects.size()) {
        return fail(ErrorCode::bad_options,
                    "a manifest must be the last object: '" + objects[i].key + "'");
      }
      continue;
    }
    if (index_.contains(*id)) continue;
    if (Status status = open(); !status) return fail(std::move(status.error()));
    if (Status status = writer->add(*id, objects[i].bytes); !status)
      return fail(std::move(status.error()));
    stored[i] = true;
  }
  if (save) {
    if (Status status = open(); !status) return fail(std::move(status.error()));
  }
  if (writer == nullptr) return stored;
  // One file: its name comes last, so objects and manifest appear at once.
  std::string name;
  if (save) {
    name = file_name_of(*save);
  } else {
    auto random = random_pack_name(files_, place_);
    if (!random) return fail(std::move(random.error()));
    name = std::move(*random);
  }
  const auto linked = writer->finish(save ? objects.back().bytes : std::span<const std::byte>(),
                                     name, PackWriter::Name::if_absent);
  if (!linked) return fail(linked.error());
  PackIndex index = writer->take_index();
  writer.reset();  // removes the temporary name
  // Also where another file has the name: what is reported as present must be durable.
  if (Status status = sync(); !status) return fail(std::move(status.error()));
  if (!*linked) return std::vector<bool>(objects.size(), false);
  index_.add(name, std::move(index));
  if (save) stored.back() = true;
  return stored;
}

Result<std::vector<std::optional<Bytes>>> FolderBackend::get(std::span<const ObjectKey> keys) {
  std::vector<std::optional<Bytes>> found;
  found.reserve(keys.size());
  for (const ObjectKey& key : keys) {
    if (const auto id = id_of(key)) {
      auto bytes = index_.read(*id);
      if (!bytes) return fail(std::move(bytes.error()));
      found.push_back(std::move(*bytes));
    } else if (const auto save = parse_save_key(key)) {
      auto bytes = index_.manifest(*save);
      if (!bytes) return fail(std::move(bytes.error()));
      found.push_back(std::move(*bytes));
    } else {
      found.emplace_back();
    }
  }
  return found;
}

Result<std::vector<bool>> FolderBackend::exists_many(std::span<const ObjectKey> keys) {
  std::vector<bool> exist;
  exist.reserve(keys.size());
  for (const ObjectKey& key : keys) {
    const auto id = id_of(key);
    const auto save = id ? std::nullopt : parse_save_key(key);
    exist.push_back((id && index_.contains(*id)) ||
                    (save && retry_interrupted([&] {
                               return files_.status_at(folder_.get(), file_name_of(*save));
                             }).has_value()));
  }
  return exist;
}

Status FolderBackend::remove_save(const SaveName& save) {
  // The chunks that it brought may belong to other saves: the file stays, as a pack.
  auto pack = random_pack_name(files_, place_);
  if (!pack) return fail(std::move(pack.error()));
  const auto renamed =
      retry_interrupted([&] { return files_.rename(folder_.get(), file_name_of(save), *pack); });
  if (renamed || renamed.error().number == ENOENT) return {};
  return fail(os_failure(renamed.error(), "renaming '" + file_name_of(save) + "'", place_));
}

Status FolderBackend::remove(std::span<const ObjectKey> keys) {
  std::vector<ObjectId> chunks;
  bool has_saves = false;
  for (const ObjectKey& key : keys) {
    if (const auto id = id_of(key)) {
      chunks.push_back(*id);
    } else if (const auto save = parse_save_key(key)) {
      if (Status status = remove_save(*save); !status) return status;
      has_saves = true;
    }
  }
  if (has_saves) {
    if (Status status = sync(); !status) return status;
    return index_.refresh();
  }
  return compaction().remove(chunks);
}

Result<std::unique_ptr<ArchiveHold>> FolderBackend::hold(HoldKind kind,
                                                         std::chrono::milliseconds timeout) {
  for (;;) {
    auto hold = lock_folder(files_, folder_.get(), kind, timeout, place_);
    if (!hold) return hold;
    if (!compaction().is_unfinished()) {
      // Names of removed saves may be those of new ones: a collection looks at all files.
      if (kind == HoldKind::collect) index_.clear();
      if (Status status = index_.refresh_if_collected(); !status)
        return fail(std::move(status.error()));
      return hold;
    }
    if (kind ==
        HoldKind::write) {  // a crash left a collection half done: only a collector may end it
      hold->reset();
      hold = lock_folder(files_, folder_.get(), HoldKind::collect, timeout, place_);
      if (!hold) return hold;
    }
    if (Status status = compaction().finish_last(); !status) return fail(std::move(status.error()));
  }
}

Result<std::vector<ArchiveBackend::Fault>> FolderBackend::check_store() {
  std::vector<Fault> faults;
  const auto names = retry_interrupted([&] { return files_.list(folder_.get()); });
  if (!names) return fail(os_failure(names.error(), "listing the folder", place_));
  for (const std::string& name : *names) {
    const bool is_save = name.ends_with(kSaveSuffix);
    if (!is_save && !name.ends_with(kPackSuffix)) continue;
    const std::string path = place_ + "/" + name;
    const auto add = [&](Error error, ObjectKey key = {}) {
      faults.push_back({std::move(error), std::move(key)});
    };
    if (is_save && !save_of_file(name)) {
      add(Error{ErrorCode::bad_archive, "the name is not that of a save", kNoOffset, {}, path});
      continue;
    }
    const auto opened =
        retry_interrupted([&] { return files_.open_for_reading(folder_.get(), name); });
    if (!opened) {
      if (opened.error().number != ENOENT) add(os_failure(opened.error(), "opening", path));
      continue;
    }
    const OwnedDescriptor file(files_, *opened);
    if (Status status = check_pack_header(files_, file.get(), id_, path); !status)
      add(std::move(status.error()));
    const auto index = read_pack_index(files_, file.get(), path);
    if (!index) {
      add(index.error());
      continue;
    }
    for (const PackedObject& object : index->objects) {
      if (const auto bytes = read_packed(files_, file.get(), object, path); !bytes)
        add(bytes.error(), key_of(object.id));
    }
  }
  return faults;
}

// --- opening

Result<std::optional<Hash128>> read_marker(FileSystem& files, Descriptor folder,
                                           const std::string& path) {
  const auto opened =
      retry_interrupted([&] { return files.open_for_reading(folder, kMarkerName); });
  if (!opened && opened.error().number == ENOENT) return std::optional<Hash128>();
  if (!opened) return fail(os_failure(opened.error(), "opening 'hdb-archive'", path));
  const OwnedDescriptor file(files, *opened);
  std::array<std::byte, kMarkerBytes + 1> bytes;
  const auto got = read_fully(files, file.get(), 0, bytes);
  if (!got) return fail(os_failure(got.error(), "reading 'hdb-archive'", path));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), *got);
  if (text.starts_with("hdb archive ") && !text.starts_with(kMarkerHead.substr(0, 14))) {
    return fail(Error{ErrorCode::newer_version,
                      "the archive has another version; this version of hdb reads 1",
                      kNoOffset,
                      {},
                      path + "/" + kMarkerName});
  }
  const auto high = parse_hex(text.substr(std::min(kMarkerHead.size(), text.size()), 16));
  const auto low = parse_hex(text.substr(std::min(kMarkerHead.size() + 16, text.size()), 16));
  if (text.size() != kMarkerBytes || !text.starts_with(kMarkerHead) || text.back() != '\n' ||
      !high || !low) {
    return fail(Error{ErrorCode::bad_archive,
                      "the file is not that of an archive",
                      0,
                      {},
                      path + "/" + kMarkerName});
  }
  return std::optional<Hash128>({*low, *high});
}

// Of two that make one archive at once, one makes the marker.
Status make_marker(FileSystem& files, Descriptor folder, const std::string& path) {
  std::array<std::byte, 16> random;
  const auto filled = retry_interrupted([&] { return files.random_bytes(random); });
  if (!filled) return fail(os_failure(filled.error(), "making a random id", path));
  const Hash128 id{load_le<std::uint64_t>(random.data()), load_le<std::uint64_t>(&random[8])};
  const std::string text = std::string(kMarkerHead) + id.hex() + "\n";
  auto temporary = create_temporary(files, folder, kTemporaryTarget, path);
  if (!temporary) return fail(std::move(temporary.error()));
  const auto failure = [&](OsError error, const char* call) {
    static_cast<void>(files.unlink(folder, temporary->name));
    return fail(os_failure(error, call, path));
  };
  const Descriptor file = temporary->file.get();
  if (const auto written = write_all(files, file, bytes_of(text)); !written)
    return failure(written.error(), "writing 'hdb-archive'");
  if (const auto mode = files.new_file_mode(folder)) static_cast<void>(files.set_mode(file, *mode));
  if (const auto synced = files.sync_file(file); !synced)
    return failure(synced.error(), "syncing 'hdb-archive'");
  const auto named = name_if_absent(files, folder, temporary->name, kMarkerName, path);
  static_cast<void>(files.unlink(folder, temporary->name));
  if (!named) return fail(named.error());
  if (const auto synced = files.sync_directory(folder); !synced)
    return fail(os_failure(synced.error(), "syncing the folder", path));
  return {};
}

bool is_own(const std::string& name) {
  return name == "." || name == ".." || name == kMarkerName ||
         TemporaryNames(kTemporaryTarget).matches(name);
}

Result<OwnedDescriptor> open_folder(FileSystem& files, const std::string& path, bool create) {
  auto opened = retry_interrupted([&] { return files.open_directory(kCurrentDirectory, path); });
  if (!opened && opened.error().number == ENOENT && create) {
    const auto made = retry_interrupted([&] { return files.make_directory(path); });
    if (!made && made.error().number != EEXIST)
      return fail(os_failure(made.error(), "making the folder", path));
    const SplitPath split = split_path(path);
    const auto parent =
        retry_interrupted([&] { return files.open_directory(kCurrentDirectory, split.folder); });
    if (parent) {
      const OwnedDescriptor owned(files, *parent);
      if (const auto synced = files.sync_directory(*parent); !synced)
        return fail(os_failure(synced.error(), "syncing the folder", split.folder));
    }
    opened = retry_interrupted([&] { return files.open_directory(kCurrentDirectory, path); });
  }
  if (opened) return OwnedDescriptor(files, *opened);
  if (opened.error().number == ENOTDIR)
    return fail_at_path(ErrorCode::not_an_archive, "it is a file, not a folder", path);
  return fail(os_failure(opened.error(), "opening the folder", path));
}

}  // namespace
}  // namespace archive

Result<std::unique_ptr<ArchiveBackend>> open_archive_folder(const std::string& path,
                                                            const ArchiveFolderOptions& options) {
  using namespace archive;
  FileSystem& files = options.file_system != nullptr ? *options.file_system : system_files();
  if (Status checked = check_path(path); !checked) return fail(std::move(checked.error()));
  auto folder = open_folder(files, path, options.create);
  if (!folder) return fail(std::move(folder.error()));
  auto id = read_marker(files, folder->get(), path);
  if (!id) return fail(std::move(id.error()));
  if (!*id) {
    const auto names = retry_interrupted([&] { return files.list(folder->get()); });
    if (!names) return fail(os_failure(names.error(), "listing the folder", path));
    const bool is_empty = std::all_of(names->begin(), names->end(), is_own);
    if (!options.create || !is_empty) {
      return fail_at_path(ErrorCode::not_an_archive,
                          is_empty ? "the folder is empty"
                                   : "the folder has no file 'hdb-archive', but other files",
                          path);
    }
    if (Status status = make_marker(files, folder->get(), path); !status)
      return fail(std::move(status.error()));
    id = read_marker(files, folder->get(), path);
    if (!id) return fail(std::move(id.error()));
    if (!*id) return fail_at_path(ErrorCode::io_failed, "the file 'hdb-archive' vanished", path);
  }
  return std::unique_ptr<ArchiveBackend>(
      std::make_unique<FolderBackend>(files, std::move(*folder), path, **id));
}

}  // namespace hdb
