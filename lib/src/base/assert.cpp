// The handlers of broken preconditions and of warnings.
#include "hdb/assert.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace hdb {
namespace {

void print_and_abort(const char* message, const char* file, int line) {
  std::fprintf(stderr, "hdb: %s (%s:%d)\n", message, file, line);
  std::abort();
}

void print_warning(const char* message) { std::fprintf(stderr, "hdb: warning: %s\n", message); }

std::atomic<FatalHandler> handler_in_use{&print_and_abort};
std::atomic<WarningHandler> warning_handler_in_use{&print_warning};

}  // namespace

FatalHandler set_fatal_handler(FatalHandler handler) noexcept {
  return handler_in_use.exchange(handler ? handler : &print_and_abort);
}

void fatal(const char* message, const char* file, int line) noexcept {
  handler_in_use.load()(message, file, line);
  std::abort();
}

WarningHandler set_warning_handler(WarningHandler handler) noexcept {
  return warning_handler_in_use.exchange(handler ? handler : &print_warning);
}

void warn(const char* message) { warning_handler_in_use.load()(message); }

void out_of_range(const char* message) {
#if defined(__cpp_exceptions)
  throw std::out_of_range(message);
#else
  fatal(message, __FILE__, __LINE__);
#endif
}

void out_of_memory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  fatal("out of memory", __FILE__, __LINE__);
#endif
}

}  // namespace hdb
