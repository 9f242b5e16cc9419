// HDB_ASSERT: broken preconditions of the program, never reachable from file content.
#pragma once

namespace hdb {

/// Called with the text of a broken precondition or of an exhausted resource; must not return.
using FatalHandler = void (*)(const char* message, const char* file, int line);

/// Replaces what happens at a fatal error (default: print and abort) and returns the former
/// handler.
FatalHandler set_fatal_handler(FatalHandler handler) noexcept;

/// Calls the fatal handler; ends the program if the handler returns.
[[noreturn]] void fatal(const char* message, const char* file, int line) noexcept;

/// Throws std::out_of_range, or calls the fatal handler where exceptions are off.
[[noreturn]] void out_of_range(const char* message);

/// Throws std::bad_alloc, or calls the fatal handler where exceptions are off.
[[noreturn]] void out_of_memory();

}  // namespace hdb

#if !defined(HDB_ENABLE_ASSERTS) && !defined(NDEBUG)
#define HDB_ENABLE_ASSERTS 1
#endif

/// Always checked, in every build.
#define HDB_REQUIRE(condition, message) \
  ((condition) ? static_cast<void>(0) : ::hdb::fatal(message, __FILE__, __LINE__))

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
#define HDB_ASSERT(condition, message) HDB_REQUIRE(condition, message)
#else
#define HDB_ASSERT(condition, message) static_cast<void>(0)
#endif
