// Copies owner, group and attributes; the first failure is the one that is reported.
#include "files/ownership.hpp"

#include <algorithm>
#include <vector>

namespace hdb {
namespace {

constexpr std::uint32_t kModeBits = 0777;
constexpr std::uint32_t kGroupBits = 0070;
constexpr std::uint32_t kOtherBits = 0007;

class Keeper {
 public:
  Keeper(FileSystem& files, Descriptor file, const std::string& path)
      : files_(files), file_(file), path_(path) {}

  void keep_owner(const FileStatus& old) {
    kept_.mode = old.mode & kModeBits;
    const auto now = retry_interrupted([&] { return files_.status(file_); });
    if (!now) {
      report(now.error(), "its owner and group");
      return lower_group();
    }
    if (now->owner == old.owner && now->group == old.group) return;
    const auto changed = set_owner(old.owner, old.group);
    if (changed) return;
    report(changed.error(), "its owner and group");
    // A user who may not give files away may still choose among the groups that the user is in.
    if (now->group != old.group && !set_owner(now->owner, old.group)) lower_group();
  }

  void keep_attributes(Descriptor directory, const std::string& name, const FileStatus& old) {
    const auto opened = retry_interrupted([&] { return files_.open_for_reading(directory, name); });
    if (!opened) return report(opened.error(), "its attributes");
    const OwnedDescriptor source(files_, *opened);
    const auto status = retry_interrupted([&] { return files_.status(source.get()); });
    if (!status || !status->same_file(old)) {
      return report(status ? OsError{EBUSY} : status.error(), "its attributes");
    }
    const auto from = retry_interrupted([&] { return files_.attributes(source.get()); });
    const auto to = retry_interrupted([&] { return files_.attributes(file_); });
    if (!from || !to) {
      return report(!from ? from.error() : to.error(), "its attributes");
    }
    for (const FileAttribute& one : *to) {  // such as the list that the folder gives new files
      const bool is_kept = std::any_of(from->begin(), from->end(), [&](const FileAttribute& other) {
        return other.name == one.name;
      });
      if (!is_kept) set(one.name, nullptr);
    }
    for (const FileAttribute& one : *from) {
      if (std::find(to->begin(), to->end(), one) == to->end()) set(one.name, &one.value);
    }
  }

  [[nodiscard]] Kept take() { return std::move(kept_); }

 private:
  OsStatus set_owner(std::uint32_t owner, std::uint32_t group) {
    return retry_interrupted([&] { return files_.set_owner(file_, owner, group); });
  }

  void set(const std::string& name, const std::string* value) {
    const auto done = retry_interrupted([&] { return files_.set_attribute(file_, name, value); });
    if (!done) report(done.error(), "its attribute '" + name + "'");
  }

  void lower_group() {  // O2
    const std::uint32_t others = (kept_.mode & kOtherBits) << 3;
    kept_.mode = (kept_.mode & ~kGroupBits) | (kept_.mode & others);
  }

  void report(OsError error, std::string_view what) {  // O1
    if (!kept_.problem.what.empty()) return;
    kept_.problem = os_failure(
        error,
        "the new file is in place, but does not have all that the old file had: keeping " +
            std::string(what),
        path_);
  }

  FileSystem& files_;
  Descriptor file_;
  const std::string& path_;
  Kept kept_;
};

}  // namespace

Kept keep_ownership(FileSystem& files, Descriptor directory, const std::string& name,
                    const FileStatus& old, Descriptor file, const std::string& path) {
  Keeper keeper(files, file, path);
  keeper.keep_owner(old);
  keeper.keep_attributes(directory, name, old);
  return keeper.take();
}

}  // namespace hdb
