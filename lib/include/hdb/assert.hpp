// What happens when the program breaks a precondition: HDB_REQUIRE, HDB_ASSERT and the fatal
// handler; and when it probably contains a mistake: the warning handler. Games use this header to
// route such failures into their own crash reports and logs. Content of
// files never reaches these checks: damaged files are reported as errors (hdb/error.hpp).
#pragma once

#include "hdb/detail/base/api.hpp"

namespace hdb {

/// A function that is called with the text of a broken precondition and the source file and line of
/// the check. Any thread may call it. It must not throw; if it returns, the program aborts.
using FatalHandler = void (*)(const char* message, const char* file, int line);

/// Installs a fatal handler for the whole process and returns the former one. Null installs the
/// default handler, which prints the message to stderr and aborts. Any thread may call this.
///
/// Example:
/// @code
/// const auto log = [](const char* message, const char* file, int line) {
///   std::fprintf(stderr, "crash report: %s (%s:%d)\n", message, file, line);
///   std::abort();
/// };
/// const hdb::FatalHandler former = hdb::set_fatal_handler(log);
/// HDB_REQUIRE(former != nullptr, "hdb always has a fatal handler");  // checked in every build
/// @endcode
HDB_INSPECT_API FatalHandler set_fatal_handler(FatalHandler handler) noexcept;

/// Calls the fatal handler. Aborts the program if the handler returns.
[[noreturn]] HDB_INSPECT_API void fatal(const char* message, const char* file, int line) noexcept;

/// A function that is called with the text of a warning: a probable mistake in the program, such as
/// a `serialize` that forgets a member (hdb::LeavesOut). Only builds with assertions look for
/// such mistakes.
using WarningHandler = void (*)(const char* message);

/// Installs a warning handler for the whole process and returns the former one. Null installs the
/// default handler, which prints the message to stderr. Any thread may call this.
///
/// A handler decides what a warning means. One that does nothing silences warnings. One that calls
/// hdb::fatal makes them errors that end the program. One that throws makes the call fail that
/// warns: each such call warns before it changes anything, and passes the exception on.
HDB_INSPECT_API WarningHandler set_warning_handler(WarningHandler handler) noexcept;

/// Calls the warning handler, on the calling thread.
HDB_INSPECT_API void warn(const char* message);

/// Throws std::out_of_range. If hdb is built without exceptions, calls the fatal handler.
[[noreturn]] HDB_INSPECT_API void out_of_range(const char* message);

/// Throws std::bad_alloc. If hdb is built without exceptions, calls the fatal handler.
[[noreturn]] HDB_INSPECT_API void out_of_memory();

}  // namespace hdb

#if !defined(HDB_ENABLE_ASSERTS) && !defined(NDEBUG)
#define HDB_ENABLE_ASSERTS 1
#endif

/// Calls the fatal handler with `message` if `condition` is false. Checked in every build.
#define HDB_REQUIRE(condition, message) \
  ((condition) ? static_cast<void>(0) : ::hdb::fatal(message, __FILE__, __LINE__))

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
/// As HDB_REQUIRE in builds with assertions (HDB_ENABLE_ASSERTS: debug builds, or CMake option
/// HDB_ASSERTS); else does nothing and does not evaluate `condition`.
#define HDB_ASSERT(condition, message) HDB_REQUIRE(condition, message)
#else
#define HDB_ASSERT(condition, message) static_cast<void>(0)
#endif
