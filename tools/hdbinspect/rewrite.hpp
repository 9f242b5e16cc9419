// Writing a new file: never over the input, never over a file that is there unless asked, whole or
// not at all.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hdb/atomic_file.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::inspect {

/// Refuses an output that is the input (a path, ARCHIVE@VERSION or `-`), or that is there and may
/// not be replaced. Called before the input is read; create_output and commit_durably check all
/// files that were read. Errors: bad_path, with what to do.
[[nodiscard]] Status check_output(const std::string& input, const std::string& output, bool force);

/// Writes an image to a file, atomically and durably; nothing is left of it when the run is
/// interrupted (Compression::write_options). `approve` sees the report first: what it refuses is
/// not written.
[[nodiscard]] Result<WriteReport> write_file(
    const ImageSource& image, const std::string& output, const WriteOptions& options,
    const std::function<Status(const WriteReport&)>& approve = {});

/// Writes a text to a file, atomically and durably.
[[nodiscard]] Status write_text(std::string_view text, const std::string& output);

/// For AtomicFileOptions::file_system of every output: knows its temporary files and locks, so that
/// even a run that is ended by force removes them. One thread; two outputs at a time.
[[nodiscard]] FileSystem& output_files();

/// Begins an output. Errors: as AtomicFile::create; bad_path for a file that the run reads.
[[nodiscard]] Result<std::unique_ptr<AtomicFile>> create_output(const std::string& output);

/// The temporary file of the output that was begun last, for a library that writes it itself.
[[nodiscard]] std::string temporary_path(const std::string& output);

/// Commits an output. Errors: as AtomicFile::commit; also when the file is in place but not
/// durable, and the text says so; bad_path for a file that the run reads.
[[nodiscard]] Status commit_durably(AtomicFile& file, const std::string& output);

/// A sink that only counts.
class CountingSink final : public ByteSink {
 public:
  [[nodiscard]] Status write(std::span<const std::byte> bytes) override {
    bytes_ += bytes.size();
    return {};
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace hdb::inspect
