// FileSource: pread, and a comparison of the file's status after every read.
#include "hdb/file_system.hpp"

#include "files/os_calls.hpp"
#include "files/temporary.hpp"

namespace hdb {

Result<std::unique_ptr<FileSource>> FileSource::open(const std::string& path, FileSystem* files) {
  FileSystem& system = files != nullptr ? *files : system_files();
  if (Status checked = check_path(path); !checked) return fail(std::move(checked.error()));
  const auto file =
      retry_interrupted([&] { return system.open_for_reading(kCurrentDirectory, path); });
  if (!file) return fail(os_failure(file.error(), "opening", path));
  OwnedDescriptor owned(system, *file);
  const auto status = system.status(*file);
  if (!status) return fail(os_failure(status.error(), "reading the size", path));
  if (status->kind != FileKind::regular) {
    return fail_at_path(ErrorCode::not_regular,
                        status->kind == FileKind::directory ? "the path is a folder"
                                                            : "the path is a FIFO or a device",
                        path);
  }
  std::unique_ptr<FileSource> source(
      new FileSource(system, *file, *status, path, bound_path(system, path)));
  static_cast<void>(owned.release());
  return source;
}

FileSource::~FileSource() { static_cast<void>(files_.close(file_)); }

Status FileSource::check_same_content(const FileStatus& now) const {
  if (now.size_bytes < opened_.size_bytes) {
    return fail_at_path(ErrorCode::file_changed,
                        "another program cut the file from " + std::to_string(opened_.size_bytes) +
                            " to " + std::to_string(now.size_bytes) + " bytes while it was read",
                        path_);
  }
  if (now.size_bytes != opened_.size_bytes || now.modified_ns != opened_.modified_ns) {
    return fail_at_path(ErrorCode::file_changed,
                        "another program wrote to the file while it was read", path_);
  }
  return {};
}

Status FileSource::read_at(std::uint64_t offset, std::span<std::byte> out) {
  if (offset > opened_.size_bytes || out.size() > opened_.size_bytes - offset) {
    return fail(Error{ErrorCode::truncated,
                      std::to_string(out.size()) +
                          " bytes are needed here, but the file ends at byte " +
                          std::to_string(opened_.size_bytes),
                      offset, "reading", path_});
  }
  const auto size = read_fully(files_, file_, offset, out);
  if (!size) return fail(os_failure(size.error(), "reading", path_));
  const auto now = files_.status(file_);
  if (!now) return fail(os_failure(now.error(), "reading the size", path_));
  if (auto same = check_same_content(*now); !same) return same;
  if (*size != out.size())
    return fail_at_path(ErrorCode::io_failed, "reading returned fewer bytes than the file has",
                        path_);
  return {};
}

Status FileSource::check_unchanged() const {
  const auto now = files_.status(file_);
  if (!now) return fail(os_failure(now.error(), "reading the size", path_));
  if (auto same = check_same_content(*now); !same) return same;
  const auto again =
      retry_interrupted([&] { return files_.open_for_reading(kCurrentDirectory, bound_path_); });
  bool replaced = !again;
  if (again) {
    OwnedDescriptor owned(files_, *again);
    const auto status = files_.status(*again);
    replaced = !status || !status->same_file(opened_);
  }
  if (replaced) {
    return fail_at_path(ErrorCode::file_changed,
                        "another file took the place of this file while it was read", path_);
  }
  return {};
}

}  // namespace hdb
