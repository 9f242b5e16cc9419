// Old files are removed only when packs with all that stays are durable.
#include "archive/folder_compaction.hpp"

#include <algorithm>
#include <utility>

namespace hdb::archive {
namespace {

constexpr std::uint64_t kPackBytes = std::uint64_t{64} << 20;
// Files with objects that are smaller than this are gathered, once there are this many of them.
constexpr std::uint64_t kSmallFileBytes = std::uint64_t{16} << 20;
constexpr std::size_t kManySmallFiles = 64;

}  // namespace

Result<std::string> random_pack_name(FileSystem& files, const std::string& path) {
  std::array<std::byte, 16> random;
  const auto filled = retry_interrupted([&] { return files.random_bytes(random); });
  if (!filled) return fail(os_failure(filled.error(), "making a random name", path));
  const Hash128 number{load_le<std::uint64_t>(random.data()), load_le<std::uint64_t>(&random[8])};
  return number.hex() + std::string(kPackSuffix);
}

Status FolderCompaction::sync() {
  const auto synced = files_.sync_directory(folder_);
  if (synced) return {};
  return fail(os_failure(synced.error(), "syncing the folder", path_));
}

// Replaces a file whose loss nothing but this class would notice.
Status FolderCompaction::write_small_file(const char* name, std::span<const std::byte> bytes) {
  auto temporary = create_temporary(files_, folder_, kTemporaryTarget, path_);
  if (!temporary) return fail(std::move(temporary.error()));
  if (const auto mode = retry_interrupted([&] { return files_.new_file_mode(folder_); }))
    static_cast<void>(files_.set_mode(temporary->file.get(), *mode));
  auto done = write_all(files_, temporary->file.get(), bytes);
  if (done) done = files_.sync_file(temporary->file.get());
  if (done) done = retry_interrupted([&] { return files_.rename(folder_, temporary->name, name); });
  if (done) return {};
  static_cast<void>(files_.unlink(folder_, temporary->name));
  return fail(os_failure(done.error(), std::string("writing '") + name + "'", path_));
}

// Tells other processes that what they know of the files is not true any more.
Status FolderCompaction::new_generation() {
  std::array<std::byte, 16> random;
  const auto filled = retry_interrupted([&] { return files_.random_bytes(random); });
  if (!filled) return fail(os_failure(filled.error(), "making a random number", path_));
  return write_small_file(kGenerationName, random);
}

bool FolderCompaction::is_unfinished() const {
  return retry_interrupted([&] { return files_.status_at(folder_, kCondemnedName); }).has_value();
}

Status FolderCompaction::remove(const std::vector<ObjectId>& objects) {
  if (Status status = index_.refresh(); !status) return status;
  if (Status status = new_generation(); !status) return status;
  if (!objects.empty()) {
    Bytes list;
    ByteWriter out(list);
    for (const ObjectId& id : objects) out.raw(id);
    out.u64(hash64(list));
    if (Status status = write_small_file(kCondemnedName, list); !status) return status;
    if (Status status = sync(); !status) return status;
  }
  return compact(Ids(objects.begin(), objects.end()));
}

Status FolderCompaction::finish_last() {
  const std::string path = path_ + "/" + kCondemnedName;
  const auto opened =
      retry_interrupted([&] { return files_.open_for_reading(folder_, kCondemnedName); });
  if (!opened && opened.error().number == ENOENT) return {};
  if (!opened) return fail(os_failure(opened.error(), "opening", path));
  const OwnedDescriptor file(files_, *opened);
  const auto status = retry_interrupted([&] { return files_.status(file.get()); });
  if (!status) return fail(os_failure(status.error(), "reading the status", path));
  Bytes list(static_cast<std::size_t>(status->size_bytes));
  const auto got = read_fully(files_, file.get(), 0, list);
  if (!got) return fail(os_failure(got.error(), "reading", path));
  constexpr std::size_t kIdBytes = detail::kBlake2bBytes;
  const std::size_t count = list.size() / kIdBytes;
  if (*got != list.size() || list.size() != count * kIdBytes + 8 ||
      hash64(std::span(list).first(count * kIdBytes)) !=
          load_le<std::uint64_t>(list.data() + count * kIdBytes)) {
    return fail_at_path(ErrorCode::bad_archive,
                        "the list of a collection of garbage that was interrupted is damaged; "
                        "remove this file, and collect again",
                        path);
  }
  Ids dead;
  for (std::size_t i = 0; i < count; ++i) {
    ObjectId id;
    std::copy_n(list.begin() + static_cast<std::ptrdiff_t>(i * kIdBytes), kIdBytes, id.begin());
    dead.insert(id);
  }
  if (Status refreshed = index_.refresh(); !refreshed) return refreshed;
  if (Status renewed = new_generation(); !renewed) return renewed;
  return compact(dead);
}

Status FolderCompaction::compact(const Ids& dead) {
  const FolderIndex::Files all = index_.all_files();
  std::vector<std::string> small;
  std::vector<std::string> chosen;
  for (const auto& [name, index] : all) {
    const bool has_dead =
        std::any_of(index->objects.begin(), index->objects.end(),
                    [&](const PackedObject& object) { return dead.contains(object.id); });
    const bool is_stale_pack = name.ends_with(kPackSuffix) && index->objects.empty();
    if (has_dead || is_stale_pack) {
      chosen.push_back(name);
    } else if (!index->objects.empty() && index->file_bytes < kSmallFileBytes) {
      small.push_back(name);
    }
  }
  if (small.size() >= kManySmallFiles) chosen.insert(chosen.end(), small.begin(), small.end());
  Status status = copy_live(chosen, all, dead);
  if (status) status = replace(chosen, all);
  if (!status) return status;
  // Nobody else writes: these are of writers that crashed.
  const std::string own = kTemporaryTarget;
  remove_stale_temporaries(files_, folder_, &own);
  static_cast<void>(retry_interrupted([&] { return files_.unlink(folder_, kCondemnedName); }));
  if (Status renewed = new_generation(); !renewed) return renewed;
  if (Status synced = sync(); !synced) return synced;
  return index_.refresh();
}

Status FolderCompaction::copy_live(const std::vector<std::string>& names,
                                   const FolderIndex::Files& all, const Ids& dead) {
  std::unique_ptr<PackWriter> writer;
  const auto finish = [&]() -> Status {
    if (writer == nullptr) return {};
    const auto name = random_pack_name(files_, path_);
    if (!name) return fail(name.error());
    const auto linked = writer->finish({}, *name, PackWriter::Name::if_absent);
    if (!linked) return fail(linked.error());
    writer.reset();
    return {};
  };
  Ids copied;
  for (const std::string& name : names) {
    const PackIndex& index = *all.find(name)->second;
    const auto opened = retry_interrupted([&] { return files_.open_for_reading(folder_, name); });
    if (!opened) return fail(os_failure(opened.error(), "opening", path_ + "/" + name));
    const OwnedDescriptor file(files_, *opened);
    for (const PackedObject& object : index.objects) {
      if (dead.contains(object.id) || !copied.insert(object.id).second) continue;
      const auto bytes = read_packed(files_, file.get(), object, path_ + "/" + name);
      if (!bytes) return fail(bytes.error());
      if (writer == nullptr) {
        auto created = PackWriter::create(files_, folder_, archive_id_, path_);
        if (!created) return fail(std::move(created.error()));
        writer = std::move(*created);
      }
      if (Status status = writer->add(object.id, *bytes); !status) return status;
      if (writer->size() >= kPackBytes) {
        if (Status status = finish(); !status) return status;
      }
    }
  }
  if (Status status = finish(); !status) return status;
  return sync();
}

// A save keeps its file, with the manifest alone; a pack goes.
Status FolderCompaction::replace(const std::vector<std::string>& names,
                                 const FolderIndex::Files& all) {
  for (const std::string& name : names) {
    if (name.ends_with(kPackSuffix)) {
      const auto removed = retry_interrupted([&] { return files_.unlink(folder_, name); });
      if (!removed && removed.error().number != ENOENT)
        return fail(os_failure(removed.error(), "removing '" + name + "'", path_));
      continue;
    }
    auto writer = PackWriter::create(files_, folder_, archive_id_, path_);
    if (!writer) return fail(std::move(writer.error()));
    const auto renamed =
        (*writer)->finish(all.find(name)->second->manifest, name, PackWriter::Name::replace);
    if (!renamed) return fail(renamed.error());
  }
  return {};
}

}  // namespace hdb::archive
