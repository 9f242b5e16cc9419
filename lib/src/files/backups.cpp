// Rotation of backups: the old file gets a second name, and backups move when the new file is
// durable.
#include "files/backups.hpp"

#include <algorithm>

#include "files/ownership.hpp"
#include "files/save_target.hpp"
#include "files/temporary.hpp"
#include "hdb/atomic_file.hpp"
#include "hdb/bytes.hpp"
#include "hdb/hash.hpp"

namespace hdb {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{256} << 10;
// With a hash and the number of a backup below 143 bytes, the shortest limit known (eCryptfs).
constexpr std::size_t kShortStemBytes = 110;

// Whether a cut here would leave a part of a code point of UTF-8.
bool is_inside_letter(const std::string& text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

// Removes a temporary that is not finished, also when memory ends.
struct NameRemover {
  FileSystem& files;
  Descriptor directory;
  const std::string* name;
  ~NameRemover() {
    if (name == nullptr) return;
    static_cast<void>(retry_interrupted([&] { return files.unlink(directory, *name); }));
  }
};

OsResult<bool> same_bytes(FileSystem& files, Descriptor a, Descriptor b) {
  std::vector<std::byte> from_a(kCopyBytes);
  std::vector<std::byte> from_b(kCopyBytes);
  for (std::uint64_t offset = 0;;) {
    const auto size_a = read_fully(files, a, offset, from_a);
    if (!size_a) return tl::unexpected<OsError>(size_a.error());
    const auto size_b = read_fully(files, b, offset, from_b);
    if (!size_b) return tl::unexpected<OsError>(size_b.error());
    const auto end = from_a.begin() + static_cast<std::ptrdiff_t>(*size_a);
    if (*size_a != *size_b || !std::equal(from_a.begin(), end, from_b.begin())) return false;
    if (*size_a == 0) return true;
    offset += *size_a;
  }
}

}  // namespace

std::string backup_name(const std::string& name, unsigned number) {
  return name + "." + std::to_string(number);
}

OsResult<std::string> backup_stem(FileSystem& files, Descriptor directory, const std::string& name,
                                  unsigned keep) {
  const auto oldest =
      retry_interrupted([&] { return files.status_at(directory, backup_name(name, keep)); });
  if (oldest || oldest.error().number == ENOENT) return name;
  if (oldest.error().number != ENAMETOOLONG) return tl::unexpected<OsError>(oldest.error());
  std::size_t size = std::min(name.size(), kShortStemBytes);
  while (size > 0 && is_inside_letter(name, size)) --size;
  return name.substr(0, size) + "~" + Hash128{hash64(bytes_of(name)), 0}.hex().substr(16);
}

std::string waiting_backup_name(const std::string& name) {
  return TemporaryNames(name).with("backup");
}

Status BackupRotation::prepare(const std::optional<FileStatus>& old, OldFile content) {
  if (keep_ == 0) return {};
  auto waiting = backup_status(waiting_name_);
  if (!waiting) return fail(std::move(waiting.error()));
  if (*waiting) {
    // Left by a save that was killed: of the file that is still the target, or of the one before?
    bool is_of_target = false;
    if (old) {
      const auto compared = is_copy(**waiting, *old);
      if (!compared) return fail(compared.error());
      is_of_target = *compared;
    }
    if (is_of_target) {
      is_waiting_ = true;
    } else if (auto done = finish_earlier(); !done) {
      return done;
    }
  }
  if (auto found = find_gap(old); !found) return found;
  if (content == OldFile::damaged && is_full_) chain_.clear();
  if (!old || chain_.empty() || is_waiting_) return {};
  return add_second_name(*old);
}

Status BackupRotation::finish() {
  if (keep_ == 0 || (is_waiting_ && chain_.empty())) {
    static_cast<void>(remove_second_name());
    is_waiting_ = false;
  }
  if (!is_waiting_) return {};
  if (auto moved = move_up(); !moved) return moved;
  is_waiting_ = false;
  // So that no later power cut mixes this rotation with the next one.
  if (const auto synced = files_.sync_directory(directory_); !synced) {
    return fail(os_failure(synced.error(), "fsync of the folder after moving the backups", path_));
  }
  return {};
}

void BackupRotation::cancel() noexcept {
  if (is_waiting_ && !must_stay_) static_cast<void>(remove_second_name());
  is_waiting_ = false;
}

Result<std::optional<FileStatus>> BackupRotation::backup_status(const std::string& name) {
  const auto status = retry_interrupted([&] { return files_.status_at(directory_, name); });
  if (!status && status.error().number == ENOENT) return std::nullopt;
  if (!status) return fail(os_failure(status.error(), "looking for backups", path_));
  if (status->kind != FileKind::regular) {
    return fail_at_path(ErrorCode::not_regular,
                        "the backup '" + name + "' is not a regular file; move it away", path_);
  }
  return *status;
}

// Notes which backups move: those below the first unused number, or else all, and the last one
// goes. None when `youngest` is name.1 already, as after another program linked it.
Status BackupRotation::find_gap(const std::optional<FileStatus>& youngest) {
  chain_.assign(1, waiting_name_);
  is_full_ = false;
  for (unsigned number = 1; number <= keep_; ++number) {
    chain_.push_back(backup_name(stem_, number));
    const auto status = backup_status(chain_.back());
    if (!status) return fail(status.error());
    if (!*status) return {};
    if (number == 1 && youngest && (*status)->same_file(*youngest)) {
      chain_.clear();
      return {};
    }
  }
  is_full_ = true;
  return {};
}

// The file that waits is older than the target.
Status BackupRotation::finish_earlier() {
  // The save that left it may have been killed before it made the target durable.
  static_cast<void>(files_.sync_directory(directory_));
  const auto waiting = backup_status(waiting_name_);
  if (!waiting) return fail(waiting.error());
  if (auto found = find_gap(*waiting); !found) return found;
  if (!chain_.empty()) return move_up();
  const auto gone = remove_second_name();
  if (!gone) return fail(os_failure(gone.error(), "removing the second name of a backup", path_));
  return {};
}

Result<bool> BackupRotation::is_copy(const FileStatus& copy, const FileStatus& old) {
  if (copy.same_file(old)) return true;
  if (copy.size_bytes != old.size_bytes) return false;
  OwnedDescriptor opened[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string& name = i == 0 ? waiting_name_ : name_;
    const auto file = retry_interrupted([&] { return files_.open_for_reading(directory_, name); });
    if (!file) return fail(os_failure(file.error(), "opening '" + name + "'", path_));
    opened[i] = OwnedDescriptor(files_, *file);
  }
  const auto same = same_bytes(files_, opened[0].get(), opened[1].get());
  if (!same) return fail(os_failure(same.error(), "comparing the old file and its copy", path_));
  return *same;
}

Status BackupRotation::add_second_name(const FileStatus& old) {
  const auto linked =
      retry_interrupted([&] { return files_.link(directory_, name_, waiting_name_); });
  is_waiting_ = linked.has_value();
  if (linked) return {};
  // Systems refuse links with many numbers; whatever it was, a copy does as well.
  link_problem_ = linked.error();
  return copy_old_file(old);
}

Status BackupRotation::copy_old_file(const FileStatus& old) {
  std::vector<std::byte> buffer(kCopyBytes);
  const auto from = retry_interrupted([&] { return files_.open_for_reading(directory_, name_); });
  if (!from) return fail(os_failure(from.error(), "opening the old file", path_));
  const OwnedDescriptor source(files_, *from);
  auto copy = create_temporary(files_, directory_, name_, path_);
  if (!copy) return fail(std::move(copy.error()));
  NameRemover unfinished{files_, directory_, &copy->name};
  OsStatus done = copy_bytes(source.get(), copy->file.get(), buffer);
  if (done) {
    // What cannot be kept is reported with the new file, which cannot have it either.
    const Kept kept = keep_ownership(files_, directory_, name_, old, copy->file.get(), path_);
    static_cast<void>(
        retry_interrupted([&] { return files_.set_mode(copy->file.get(), kept.mode); }));
    done = files_.sync_file(copy->file.get());
  }
  if (done) done = copy->file.close();
  if (done) {
    done = retry_interrupted([&] { return files_.rename(directory_, copy->name, waiting_name_); });
  }
  is_waiting_ = done.has_value();
  if (!done) return fail(os_failure(done.error(), "copying the old file as a backup", path_));
  unfinished.name = nullptr;
  return {};
}

OsStatus BackupRotation::copy_bytes(Descriptor from, Descriptor to,
                                    std::vector<std::byte>& buffer) {
  for (std::uint64_t offset = 0;;) {
    const auto size = read_fully(files_, from, offset, buffer);
    if (!size) return tl::unexpected<OsError>(size.error());
    if (*size == 0) return {};
    if (auto written = write_all(files_, to, std::span(buffer).first(*size)); !written) {
      return written;
    }
    offset += *size;
  }
}

Status BackupRotation::move_up() {
  for (std::size_t i = chain_.size() - 1; i >= 1; --i) {
    const auto moved =
        retry_interrupted([&] { return files_.rename(directory_, chain_[i - 1], chain_[i]); });
    if (!moved) {
      return fail(os_failure(moved.error(),
                             "the backups could not be renamed (the next save of this file tries "
                             "again): rename to '" +
                                 chain_[i] + "'",
                             path_));
    }
  }
  return {};
}

OsStatus BackupRotation::remove_second_name() noexcept {
  return retry_interrupted([&] { return files_.unlink(directory_, waiting_name_); });
}

OsStatus remove_waiting_backup(FileSystem& files, Descriptor directory, const std::string& name) {
  const std::string waiting = waiting_backup_name(name);
  const auto gone = retry_interrupted([&] { return files.unlink(directory, waiting); });
  if (!gone && gone.error().number == ENOENT) return {};
  return gone;
}

std::vector<std::string> backup_paths(const std::string& path, unsigned keep, FileSystem* files) {
  FileSystem& system = files != nullptr ? *files : system_files();
  const SplitPath given = split_path(path);
  std::string folder = path.substr(0, path.size() - given.name.size());
  std::string stem = given.name;
  // Backups are beside the file that a link names, as the save is.
  if (const auto target = follow_links(system, path)) {
    if (target->folder != given.folder) folder = target->folder + "/";
    stem = backup_stem(system, target->directory.get(), target->name, keep).value_or(target->name);
  }
  std::vector<std::string> paths;
  for (unsigned number = 1; number <= keep; ++number)
    paths.push_back(folder + backup_name(stem, number));
  return paths;
}

}  // namespace hdb
