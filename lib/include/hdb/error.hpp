// Errors as values: ErrorCode, Error and Result<T>. Games and tools check the results of all calls
// that can fail because of files, limits or record types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace hdb {

/// Why a call failed. The numbers never change; code_id prints them as `HDB-E0231`.
enum class ErrorCode : std::uint16_t {
#define HDB_ERROR(name, number, category, text, next) name = number,
#include "hdb/detail/base/api.hpp"
#include "hdb/error_codes.def"
#undef HDB_ERROR
};

/// The kind of a failure; the exit status of hdbinspect depends on it.
enum class ErrorCategory : std::uint8_t {
  corrupt,    ///< The file is damaged.
  newer,      ///< The file needs another version of hdb, usually a newer one.
  limit,      ///< A limit of the reader, the writer or the table.
  io,         ///< The operating system reported an error.
  busy,       ///< Another save of the same file is running.
  cancelled,  ///< The caller asked to stop.
  mismatch,   ///< The file does not fit the tables or record types of the program.
  usage,      ///< The call cannot be carried out with these arguments.
};

/// The offset of an error that has no byte offset.
inline constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

/// What failed and where. code_next_step(code) says what a user can do.
///
/// Example:
/// @code
/// const hdb::Result<hdb::FileInfo> info = hdb::read_info("missing.hdb");
/// assert(!info);
/// const hdb::Error& error = info.error();
/// assert(error.code == hdb::ErrorCode::file_not_found);
/// assert(hdb::category_of(error.code) == hdb::ErrorCategory::io);
/// std::fprintf(stderr, "%s\n%s\n", error.message().c_str(),
///              std::string(hdb::code_next_step(error.code)).c_str());
/// @endcode
struct HDB_INSPECT_API Error {
  ErrorCode code{};
  std::string what;                  ///< What failed: "slot count 9 exceeds group".
  std::uint64_t offset = kNoOffset;  ///< The byte offset in the file or buffer.
  std::string where;  ///< What was being read or written: "group 3 of table 'monsters'".
  std::string file;   ///< The path of the file; empty if there is none.

  // Not inline, so that the code of calls that can fail is small.
  Error();
  Error(ErrorCode error_code, std::string what_failed, std::uint64_t byte_offset = kNoOffset,
        std::string place = {}, std::string path = {});
  Error(const Error& other);
  Error(Error&& other) noexcept;
  Error& operator=(const Error& other);
  Error& operator=(Error&& other) noexcept;
  ~Error();

  /// The error in one line: "slot1.hdb: corrupt: slot count 9 exceeds group (byte 112, group 3 of
  /// table 'monsters')". Leaves out file, offset and place if they are not known. Safe to print,
  /// whatever names the file holds: control characters, marks of the text direction and bytes that
  /// are not UTF-8 are escaped. `what`, `where` and `file` hold names as they are.
  [[nodiscard]] std::string message() const;

  /// Returns the error with an outer place added: "column hp" in "group 3" becomes "column hp of
  /// group 3".
  [[nodiscard]] Error in(std::string_view outer) &&;

 private:
  [[nodiscard]] std::string raw_message() const;
};

/// The printed number of a code: `HDB-E0231` for ErrorCode::block_checksum.
[[nodiscard]] HDB_INSPECT_API std::string code_id(ErrorCode code);
/// The name of a code: `block_checksum` for ErrorCode::block_checksum; empty for an unknown number.
[[nodiscard]] HDB_INSPECT_API std::string_view code_name(ErrorCode code) noexcept;
/// One general sentence about the code; "unknown error" for an unknown number.
[[nodiscard]] HDB_INSPECT_API std::string_view code_text(ErrorCode code) noexcept;
/// What a user can do after this error; may be empty.
[[nodiscard]] HDB_INSPECT_API std::string_view code_next_step(ErrorCode code) noexcept;
/// The category of a code; `usage` for an unknown number.
[[nodiscard]] HDB_INSPECT_API ErrorCategory category_of(ErrorCode code) noexcept;
/// The word that begins a message of this category: "corrupt", "unsupported" (newer), "limit",
/// "i/o", "busy", ...
[[nodiscard]] HDB_INSPECT_API std::string_view category_name(ErrorCategory category) noexcept;
/// All codes in ascending order.
[[nodiscard]] HDB_INSPECT_API const std::vector<ErrorCode>& all_error_codes();

/// A value or an Error: a tl::expected, in every language standard.
template <class T>
using Result = tl::expected<T, Error>;
/// Success, or an Error.
using Status = Result<void>;

/// Makes the error of a Result: `return fail(ErrorCode::bad_options, "...")`.
[[nodiscard, gnu::cold]] HDB_INSPECT_API tl::unexpected<Error> fail(
    ErrorCode code, std::string what, std::string where = {}, std::uint64_t offset = kNoOffset);
/// Makes the error of a Result from an Error, to pass it on.
[[nodiscard, gnu::cold]] HDB_INSPECT_API tl::unexpected<Error> fail(Error error);

}  // namespace hdb
