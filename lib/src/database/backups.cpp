// Rotation of backups; every step leaves the target's name in place, and no backup half written.
#include "backups.hpp"

#include <optional>
#include <vector>

#include "hdb/database/atomic_file.hpp"
#include "save_target.hpp"
#include "temporary.hpp"

namespace hdb {
namespace {

constexpr std::size_t kCopyBytes = std::size_t{256} << 10;

bool lacks_links(int number) {
  return number == EPERM || number == EOPNOTSUPP || number == ENOSYS || number == EMLINK ||
         number == EXDEV;
}

class Rotation {
 public:
  Rotation(FileSystem& files, Descriptor directory, const std::string& name, const FileStatus& old,
           unsigned keep, const std::string& path)
      : files_(files), directory_(directory), name_(name), old_(old), keep_(keep), path_(path) {}

  Status run() {
    auto gap = first_gap();
    if (!gap) return fail(std::move(gap.error()));
    if (*gap == 0) return {};
    // The second name comes first: when it cannot be had, nothing was moved.
    if (auto added = add_second_name(); !added) return added;
    auto moved = move_up(*gap);
    if (!moved) remove_spare();
    return moved;
  }

 private:
  /// The number that is unused, or else the last one: backups below it move up. 0 when the old file is the youngest
  /// backup already, as after a save that stopped between the rotation and the replacement.
  Result<unsigned> first_gap() {
    for (unsigned number = 1; number <= keep_; ++number) {
      const auto status = retry_interrupted(
          [&] { return files_.status_at(directory_, backup_name(name_, number)); });
      if (!status && status.error().number == ENOENT) return number;
      if (!status) return fail(os_failure(status.error(), "looking for backups", path_));
      if (status->kind != FileKind::regular) {
        return fail_at_path(ErrorCode::not_regular,
                            "'" + backup_name(name_, number) + "' is not a regular file", path_);
      }
      if (number == 1 && status->same_file(old_)) return 0;
    }
    return keep_;
  }

  Status add_second_name() {
    auto spare = TemporaryNames(name_).make(files_);
    if (!spare) return fail(os_failure(spare.error(), "making a random name", path_));
    spare_ = std::move(*spare);
    const auto linked = retry_interrupted([&] { return files_.link(directory_, name_, spare_); });
    if (linked) return {};
    if (lacks_links(linked.error().number)) return copy_old_file();
    return fail(os_failure(linked.error(), "linking the old file as a backup", path_));
  }

  Status copy_old_file() {
    const auto from = retry_interrupted([&] { return files_.open_for_reading(directory_, name_); });
    if (!from) return fail(os_failure(from.error(), "opening the old file", path_));
    const OwnedDescriptor source(files_, *from);
    auto copy = create_temporary(files_, directory_, name_, path_);
    if (!copy) return fail(std::move(copy.error()));
    spare_ = copy->name;
    const OsStatus copied = copy_bytes(source.get(), copy->file);
    if (copied) return {};
    remove_spare();
    return fail(os_failure(copied.error(), "copying the old file as a backup", path_));
  }

  OsStatus copy_bytes(Descriptor from, OwnedDescriptor& to) {
    std::vector<std::byte> buffer(kCopyBytes);
    for (std::uint64_t offset = 0;;) {
      const auto size = retry_interrupted([&] { return files_.read_at(from, offset, buffer); });
      if (!size) return tl::unexpected<OsError>(size.error());
      if (*size == 0) break;
      if (auto written = write_all(files_, to.get(), std::span(buffer).first(*size)); !written) {
        return written;
      }
      offset += *size;
    }
    auto done = retry_interrupted([&] { return files_.set_mode(to.get(), old_.mode); });
    if (done) done = files_.sync_file(to.get());
    if (done) done = to.close();
    return done;
  }

  Status move_up(unsigned gap) {
    for (unsigned number = gap; number >= 1; --number) {
      const std::string from = number == 1 ? spare_ : backup_name(name_, number - 1);
      const auto moved = retry_interrupted(
          [&] { return files_.rename(directory_, from, backup_name(name_, number)); });
      if (!moved) return fail(os_failure(moved.error(), "renaming a backup", path_));
    }
    return {};
  }

  void remove_spare() {
    static_cast<void>(retry_interrupted([&] { return files_.unlink(directory_, spare_); }));
  }

  FileSystem& files_;
  Descriptor directory_;
  const std::string& name_;
  const FileStatus& old_;
  unsigned keep_;
  const std::string& path_;
  std::string spare_;
};

}  // namespace

std::string backup_name(const std::string& name, unsigned number) {
  return name + "." + std::to_string(number);
}

Status rotate_backups(FileSystem& files, Descriptor directory, const std::string& name,
                      const FileStatus& old, unsigned keep, const std::string& path) {
  return Rotation(files, directory, name, old, keep, path).run();
}

std::vector<std::string> backup_paths(const std::string& path, unsigned keep, FileSystem* files) {
  FileSystem& system = files != nullptr ? *files : system_files();
  std::string target = path;
  const SplitPath parts = split_path(path);
  // Backups stand beside the file that a link names, as the save does.
  if (const auto folder = system.open_directory(kCurrentDirectory, parts.folder)) {
    const OwnedDescriptor directory(system, *folder);
    if (auto link = system.read_link(directory.get(), parts.name); link && !link->empty()) {
      target = link->front() == '/' ? *link : parts.folder + "/" + *link;
    }
  }
  std::vector<std::string> paths;
  for (unsigned number = 1; number <= keep; ++number) paths.push_back(backup_name(target, number));
  return paths;
}

}  // namespace hdb
