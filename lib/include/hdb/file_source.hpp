// FileSource: reads a regular file at any offset and notices when it changes meanwhile.
#pragma once

#include <memory>
#include <string>

#include "hdb/file_system.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// A source over an open file. Reads with pread, never maps: a file cut short is an error, not a SIGBUS.
class FileSource final : public ByteSource {
 public:
  /// Opens a regular file; symbolic links are followed.
  /// Errors: file_not_found, permission_denied, not_regular, too_many_files, io_failed.
  [[nodiscard]] static Result<std::unique_ptr<FileSource>> open(const std::string& path,
                                                                FileSystem* files = nullptr);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  /// The size when it was opened.
  [[nodiscard]] Result<std::uint64_t> size() override { return opened_.size_bytes; }
  /// Errors: file_changed when the file was written to since it was opened; truncated when `out` reaches beyond
  /// the end; io_failed.
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) override;

  /// Fails with file_changed when the file was written to, or the path leads to another file by now.
  [[nodiscard]] Status check_unchanged() const;

 private:
  FileSource(FileSystem& files, Descriptor file, FileStatus opened, std::string path)
      : files_(files), file_(file), opened_(opened), path_(std::move(path)) {}
  [[nodiscard]] Status check_same_content(const FileStatus& now) const;

  FileSystem& files_;
  Descriptor file_;
  FileStatus opened_;
  std::string path_;
};

}  // namespace hdb
