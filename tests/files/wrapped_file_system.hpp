// A FileSystem around another one: every call can be counted, failed or changed by a hook.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hdb/file_system.hpp"

namespace hdb::test {

enum class Call {
  open_directory,
  make_directory,
  open_lock_file,
  try_lock,
  list,
  sync_directory,
  status_at,
  read_link,
  link,
  rename,
  unlink,
  create_exclusive,
  open_for_reading,
  write,
  read_at,
  reserve_space,
  truncate,
  status,
  set_mode,
  set_owner,
  attributes,
  set_attribute,
  sync_file,
  close,
  random_bytes,
  new_file_mode,
};

class WrappedFileSystem : public FileSystem {
 public:
  explicit WrappedFileSystem(FileSystem& inner = system_files()) : inner_(inner) {}

  /// Asked before every call: an errno to fail with, 0 to succeed without doing anything (where the
  /// call gives nothing back), or nothing to go on.
  std::function<std::optional<int>(Call)> before;
  std::size_t max_write_bytes = ~std::size_t{0};

  OsResult<std::string> absolute_path(const std::string& path) override {
    return inner_.absolute_path(path);
  }
  OsResult<Descriptor> open_directory(Descriptor base, const std::string& path) override {
    return hooked(Call::open_directory, [&] { return inner_.open_directory(base, path); });
  }
  OsStatus make_directory(const std::string& path) override {
    return hooked(Call::make_directory, [&] { return inner_.make_directory(path); });
  }
  OsResult<Descriptor> open_lock_file(Descriptor directory, const std::string& name,
                                      bool create) override {
    return hooked(Call::open_lock_file,
                  [&] { return inner_.open_lock_file(directory, name, create); });
  }
  OsStatus try_lock(Descriptor file) override {
    return hooked(Call::try_lock, [&] { return inner_.try_lock(file); });
  }
  OsResult<std::vector<std::string>> list(Descriptor directory) override {
    return hooked(Call::list, [&] { return inner_.list(directory); });
  }
  OsStatus sync_directory(Descriptor directory) override {
    return hooked(Call::sync_directory, [&] { return inner_.sync_directory(directory); });
  }
  OsResult<FileStatus> status_at(Descriptor directory, const std::string& name) override {
    return hooked(Call::status_at, [&] { return inner_.status_at(directory, name); });
  }
  OsResult<std::string> read_link(Descriptor directory, const std::string& name) override {
    return hooked(Call::read_link, [&] { return inner_.read_link(directory, name); });
  }
  OsStatus link(Descriptor directory, const std::string& from, const std::string& to) override {
    return hooked(Call::link, [&] { return inner_.link(directory, from, to); });
  }
  OsStatus rename(Descriptor directory, const std::string& from, const std::string& to) override {
    return hooked(Call::rename, [&] { return inner_.rename(directory, from, to); });
  }
  OsStatus unlink(Descriptor directory, const std::string& name) override {
    return hooked(Call::unlink, [&] { return inner_.unlink(directory, name); });
  }
  OsResult<Descriptor> create_exclusive(Descriptor directory, const std::string& name) override {
    return hooked(Call::create_exclusive, [&] { return inner_.create_exclusive(directory, name); });
  }
  OsResult<Descriptor> open_for_reading(Descriptor base, const std::string& path) override {
    return hooked(Call::open_for_reading, [&] { return inner_.open_for_reading(base, path); });
  }
  OsResult<std::size_t> write(Descriptor file, std::span<const std::byte> bytes) override {
    if (bytes.size() > max_write_bytes) bytes = bytes.first(max_write_bytes);
    return hooked(Call::write, [&] { return inner_.write(file, bytes); });
  }
  OsResult<std::size_t> read_at(Descriptor file, std::uint64_t offset,
                                std::span<std::byte> out) override {
    return hooked(Call::read_at, [&] { return inner_.read_at(file, offset, out); });
  }
  OsStatus reserve_space(Descriptor file, std::uint64_t size_bytes) override {
    return hooked(Call::reserve_space, [&] { return inner_.reserve_space(file, size_bytes); });
  }
  OsStatus truncate(Descriptor file, std::uint64_t size_bytes) override {
    return hooked(Call::truncate, [&] { return inner_.truncate(file, size_bytes); });
  }
  OsResult<FileStatus> status(Descriptor file) override {
    return hooked(Call::status, [&] { return inner_.status(file); });
  }
  OsStatus set_mode(Descriptor file, std::uint32_t mode) override {
    return hooked(Call::set_mode, [&] { return inner_.set_mode(file, mode); });
  }
  OsStatus set_owner(Descriptor file, std::uint32_t owner, std::uint32_t group) override {
    return hooked(Call::set_owner, [&] { return inner_.set_owner(file, owner, group); });
  }
  OsResult<std::vector<FileAttribute>> attributes(Descriptor file) override {
    return hooked(Call::attributes, [&] { return inner_.attributes(file); });
  }
  OsStatus set_attribute(Descriptor file, const std::string& name,
                         const std::string* value) override {
    return hooked(Call::set_attribute, [&] { return inner_.set_attribute(file, name, value); });
  }
  OsStatus sync_file(Descriptor file) override {
    return hooked(Call::sync_file, [&] { return inner_.sync_file(file); });
  }
  void start_writing(Descriptor file, std::uint64_t offset, std::uint64_t size_bytes) override {
    inner_.start_writing(file, offset, size_bytes);
  }
  void drop_cache(Descriptor file) override { inner_.drop_cache(file); }
  OsStatus close(Descriptor descriptor) override {
    const OsStatus closed = inner_.close(descriptor);  // also when it is said to fail, as on Linux
    return hooked(Call::close, [&] { return closed; });
  }
  OsStatus random_bytes(std::span<std::byte> out) override {
    return hooked(Call::random_bytes, [&] { return inner_.random_bytes(out); });
  }
  OsResult<std::uint32_t> new_file_mode(Descriptor directory) override {
    return hooked(Call::new_file_mode, [&] { return inner_.new_file_mode(directory); });
  }

 private:
  template <class Function>
  auto hooked(Call call, Function&& function) -> decltype(function()) {
    const std::optional<int> answer = before ? before(call) : std::nullopt;
    if (!answer) return function();
    if (*answer == 0) return {};
    return tl::unexpected<OsError>(OsError{*answer});
  }

  FileSystem& inner_;
};

}  // namespace hdb::test
