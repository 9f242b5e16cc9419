// Opens what a command reads: files, and standard input spooled to an unlinked temporary file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "hdb/inspect/reader.hpp"
#include "hdb/io.hpp"

namespace hdb::inspect {

/// The most that is taken from standard input.
inline constexpr std::uint64_t kMaxSpoolBytes = std::uint64_t{4} << 30;

/// Where errors of taking standard input happen.
inline constexpr std::string_view kSpoolPlace = "copying standard input to a temporary file";

/// Opens a path; `-` is standard input, ARCHIVE@VERSION a save of an archive. What is read is shown
/// by ProgressScope, and ends when the run is interrupted.
/// Errors: those of FileSource; limit_exceeded for a longer standard input; each names the file.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);

/// Reads what there is of standard input, at least one byte; 0 at its end. Errors: io_failed;
/// cancelled once interrupted().
[[nodiscard]] Result<std::size_t> read_standard_input(std::span<std::byte> out);

/// Opens a snapshot file, within --max-memory.
[[nodiscard]] Result<std::shared_ptr<const Reader>> open_reader(const std::string& path,
                                                                const ReadOptions& options = {});

/// How messages call the file: the path, "standard input", or an URL without its password.
[[nodiscard]] std::string shown_name(const std::string& path);

/// The same for JSON, where it is always a string: bytes that are not UTF-8 are escaped.
[[nodiscard]] std::string json_name(const std::string& path);

/// The path as it is typed in a command: a word of the shell that is not an option.
[[nodiscard]] std::string typed_path(const std::string& path);

/// What to call the repaired file: `slot1.fixed.hdb` for `slot1.hdb`.
[[nodiscard]] std::string repaired_name(const std::string& path);

/// The error with the file's name.
[[nodiscard]] Error with_file(Error error, const std::string& path);
/// An error about a file as a whole.
[[nodiscard]] Error file_error(const std::string& path, ErrorCode code, std::string what,
                               std::string where = {});

}  // namespace hdb::inspect
