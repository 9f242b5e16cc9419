// Passes every call on, and notes which temporaries and locks are there.
#include "rewrite.hpp"

#include <array>
#include <atomic>
#include <filesystem>

#include "signals.hpp"
#include "system/paths.hpp"
#include "system/system.hpp"

namespace hdb::inspect {
namespace {

// A file that must not outlive the run: a temporary, or a lock that is held. A signal handler may
// look at it: the name is valid while `folder` is not negative.
struct Leftover {
  std::atomic<int> folder{-1};
  int lock = kNoDescriptor;  // of a lock file
  std::array<char, 256> name{};
};
// An output and the list of what a repair lost, each with its lock.
std::array<Leftover, 4> leftovers;

void note(Descriptor directory, const std::string& name, Descriptor lock = kNoDescriptor) noexcept {
  for (Leftover& leftover : leftovers) {
    if (leftover.folder >= 0 || name.size() >= leftover.name.size()) continue;
    leftover.lock = lock;
    name.copy(leftover.name.data(), name.size());
    leftover.name[name.size()] = '\0';
    leftover.folder.store(directory, std::memory_order_release);
    return;
  }
}

template <class Condition>
void forget(const Condition& condition) noexcept {
  for (Leftover& leftover : leftovers) {
    if (leftover.folder >= 0 && condition(leftover)) leftover.folder = -1;
  }
}

void forget_name(Descriptor directory, const std::string& name) noexcept {
  forget([&](const Leftover& leftover) {
    return leftover.folder == directory && name == leftover.name.data();
  });
}

// Called by a signal handler.
void remove_leftovers() noexcept {
  for (const Leftover& leftover : leftovers) {
    const int folder = leftover.folder.load(std::memory_order_acquire);
    if (folder >= 0) remove_by_force(folder, leftover.name.data());
  }
}

class OutputFiles final : public FileSystem {
 public:
  OutputFiles() { before_forced_end(remove_leftovers); }

  OsResult<Descriptor> create_exclusive(Descriptor directory, const std::string& name) override {
    auto file = files_.create_exclusive(directory, name);
    if (file) note(directory, name);
    if (file) created_ = name;
    return file;
  }
  [[nodiscard]] const std::string& created() const noexcept { return created_; }
  OsStatus rename(Descriptor directory, const std::string& from, const std::string& to) override {
    auto done = files_.rename(directory, from, to);
    if (done) forget_name(directory, from);
    return done;
  }
  OsStatus unlink(Descriptor directory, const std::string& name) override {
    auto done = files_.unlink(directory, name);
    if (done) forget_name(directory, name);
    return done;
  }

  OsResult<Descriptor> open_directory(Descriptor base, const std::string& path) override {
    return files_.open_directory(base, path);
  }
  OsStatus make_directory(const std::string& path) override { return files_.make_directory(path); }
  OsResult<Descriptor> open_lock_file(Descriptor directory, const std::string& name,
                                      bool create) override {
    auto file = files_.open_lock_file(directory, name, create);
    if (file) opened_ = {directory, name, *file};
    return file;
  }
  // From now on the file is this run's to remove.
  OsStatus try_lock(Descriptor file) override {
    auto done = files_.try_lock(file);
    if (done && file == opened_.file) note(opened_.directory, opened_.name, file);
    return done;
  }
  OsResult<std::vector<std::string>> list(Descriptor directory) override {
    return files_.list(directory);
  }
  OsStatus sync_directory(Descriptor directory) override {
    return files_.sync_directory(directory);
  }
  OsResult<FileStatus> status_at(Descriptor directory, const std::string& name) override {
    return files_.status_at(directory, name);
  }
  OsResult<std::string> read_link(Descriptor directory, const std::string& name) override {
    return files_.read_link(directory, name);
  }
  OsStatus link(Descriptor directory, const std::string& from, const std::string& to) override {
    return files_.link(directory, from, to);
  }
  OsResult<Descriptor> open_for_reading(Descriptor base, const std::string& path) override {
    return files_.open_for_reading(base, path);
  }
  OsResult<std::size_t> write(Descriptor file, std::span<const std::byte> bytes) override {
    return files_.write(file, bytes);
  }
  OsResult<std::size_t> read_at(Descriptor file, std::uint64_t offset,
                                std::span<std::byte> out) override {
    return files_.read_at(file, offset, out);
  }
  OsStatus reserve_space(Descriptor file, std::uint64_t size_bytes) override {
    return files_.reserve_space(file, size_bytes);
  }
  OsStatus truncate(Descriptor file, std::uint64_t size_bytes) override {
    return files_.truncate(file, size_bytes);
  }
  OsResult<FileStatus> status(Descriptor file) override { return files_.status(file); }
  OsStatus set_mode(Descriptor file, std::uint32_t mode) override {
    return files_.set_mode(file, mode);
  }
  OsStatus sync_file(Descriptor file) override { return files_.sync_file(file); }
  void start_writing(Descriptor file, std::uint64_t offset, std::uint64_t size_bytes) override {
    files_.start_writing(file, offset, size_bytes);
  }
  void drop_cache(Descriptor file) override { files_.drop_cache(file); }
  OsStatus close(Descriptor descriptor) override {
    forget([&](const Leftover& leftover) { return leftover.lock == descriptor; });
    return files_.close(descriptor);
  }
  OsStatus random_bytes(std::span<std::byte> out) override { return files_.random_bytes(out); }
  OsResult<std::uint32_t> new_file_mode(Descriptor directory) override {
    return files_.new_file_mode(directory);
  }

 private:
  struct LockFile {
    Descriptor directory = kNoDescriptor;
    std::string name;
    Descriptor file = kNoDescriptor;
  };
  LockFile opened_;  // the last one
  std::string created_;
  FileSystem& files_ = system_files();
};

OutputFiles& only_files() {
  static OutputFiles files;
  return files;
}

}  // namespace

FileSystem& output_files() { return only_files(); }

std::string temporary_path(const std::string& output) {
  namespace fs = std::filesystem;
  fs::path path = utf8_path(output);
  // It is beside the file that links lead to, which need not exist.
  while (fs::is_symlink(path)) path = path.parent_path() / fs::read_symlink(path);
  return utf8_text(fs::absolute(path).parent_path() / utf8_path(only_files().created()));
}

}  // namespace hdb::inspect
