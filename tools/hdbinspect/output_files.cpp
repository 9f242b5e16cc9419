// Passes every call on, and notes which temporary is there.
#include "output_files.hpp"

#include <array>
#include <atomic>

#include <unistd.h>

#include "signals.hpp"

namespace hdb::inspect {
namespace {

// What a signal handler may look at: valid while `temporary_folder` is none below zero. Descriptors of system_files()
// are those of the system.
std::array<char, 256> temporary_name{};
std::atomic<int> temporary_folder{-1};

void note_temporary(Descriptor directory, const std::string& name) noexcept {
  if (name.size() >= temporary_name.size()) return;
  name.copy(temporary_name.data(), name.size());
  temporary_name[name.size()] = '\0';
  temporary_folder.store(directory, std::memory_order_release);
}

void forget_temporary(const std::string& name) noexcept {
  if (temporary_folder.load() >= 0 && name == temporary_name.data()) temporary_folder.store(-1);
}

// Called by a signal handler.
void remove_temporary() noexcept {
  const int folder = temporary_folder.load(std::memory_order_acquire);
  if (folder >= 0) static_cast<void>(::unlinkat(folder, temporary_name.data(), 0));
}

class OutputFiles final : public FileSystem {
 public:
  OutputFiles() { before_forced_end(remove_temporary); }

  OsResult<Descriptor> create_exclusive(Descriptor directory, const std::string& name) override {
    auto file = files_.create_exclusive(directory, name);
    if (file) note_temporary(directory, name);
    return file;
  }
  OsStatus rename(Descriptor directory, const std::string& from, const std::string& to) override {
    auto done = files_.rename(directory, from, to);
    if (done) forget_temporary(from);
    return done;
  }
  OsStatus unlink(Descriptor directory, const std::string& name) override {
    auto done = files_.unlink(directory, name);
    if (done) forget_temporary(name);
    return done;
  }

  OsResult<Descriptor> open_directory(Descriptor base, const std::string& path) override {
    return files_.open_directory(base, path);
  }
  OsStatus make_directory(const std::string& path) override { return files_.make_directory(path); }
  OsStatus try_lock(Descriptor directory) override { return files_.try_lock(directory); }
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
  void drop_cache(Descriptor file) override { files_.drop_cache(file); }
  OsStatus close(Descriptor descriptor) override { return files_.close(descriptor); }
  OsStatus random_bytes(std::span<std::byte> out) override { return files_.random_bytes(out); }
  OsResult<std::uint32_t> new_file_mode(Descriptor directory) override {
    return files_.new_file_mode(directory);
  }

 private:
  FileSystem& files_ = system_files();
};

}  // namespace

FileSystem& output_files() {
  static OutputFiles files;
  return files;
}

}  // namespace hdb::inspect
