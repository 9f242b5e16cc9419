// Errors as values: the pinned codes, Error with its place, and Result<T>.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace hdb {

/// Why something failed. The numbers are pinned; `code_id` prints them as `HDB-E0231`.
enum class ErrorCode : std::uint16_t {
#define HDB_ERROR(name, number, category, text, next) name = number,
#include "hdb/error_codes.def"
#undef HDB_ERROR
};

/// What kind of failure a code is; decides the exit status of tools.
enum class ErrorCategory : std::uint8_t {
  corrupt,    ///< The bytes are damaged or hostile.
  newer,      ///< Sound as far as can be told, but a newer reader is needed.
  limit,      ///< A limit of the reader, the writer or the table.
  io,         ///< The operating system refused.
  busy,       ///< Another save holds the target.
  cancelled,  ///< The caller asked to stop.
  mismatch,   ///< File and program do not fit.
  usage,      ///< A call that cannot be carried out.
};

/// Marks an error without a byte offset.
inline constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

/// What went wrong, where, and what to do next.
struct Error {
  ErrorCode code{};
  std::string what;                  ///< The particulars: "slot count 9 exceeds group".
  std::uint64_t offset = kNoOffset;  ///< Byte offset in the file or buffer.
  std::string where;  ///< What was being read or written: "group 3 of table 'monsters'".
  std::string file;   ///< The file, when one is known.

  /// One line: "slot1.hdb: corrupt: slot count 9 exceeds group (byte 112, group 3 of table
  /// 'monsters')"; without the file where none is known.
  [[nodiscard]] std::string message() const;

  /// Adds an outer place to `where` ("column hp" in "group 3 of table 'monsters'") and returns the
  /// error.
  [[nodiscard]] Error in(std::string_view outer) &&;
};

/// `HDB-E0231` for `ErrorCode::block_checksum`.
[[nodiscard]] std::string code_id(ErrorCode code);
/// `block_checksum` for `ErrorCode::block_checksum`; empty for an unknown number.
[[nodiscard]] std::string_view code_name(ErrorCode code) noexcept;
/// One general sentence about the code.
[[nodiscard]] std::string_view code_text(ErrorCode code) noexcept;
/// What the user can do next; may be empty.
[[nodiscard]] std::string_view code_next_step(ErrorCode code) noexcept;
/// The category of the code.
[[nodiscard]] ErrorCategory category_of(ErrorCode code) noexcept;
/// The word that starts a message of this category: "corrupt", "newer", "limit", ...
[[nodiscard]] std::string_view category_name(ErrorCategory category) noexcept;
/// All codes in rising order (for `explain` and for tests).
[[nodiscard]] const std::vector<ErrorCode>& all_error_codes();

/// A value or an Error. Always tl::expected, whatever the language standard.
template <class T>
using Result = tl::expected<T, Error>;
/// Success, or an Error.
using Status = Result<void>;

/// Builds the failing side of a Result.
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string what,
                                                std::string where = {},
                                                std::uint64_t offset = kNoOffset) {
  return tl::unexpected<Error>(Error{code, std::move(what), offset, std::move(where), {}});
}
/// Passes an Error on as the failing side of another Result.
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace hdb
