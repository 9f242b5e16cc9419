// Error objects of the C interface, texts for callers, and what frees them.
#include <cstdlib>

#include "c/objects.hpp"

#ifndef HDB_C_LIBRARY_VERSION
#error "the build gives the version of the library"
#endif

namespace hdb::c {
namespace {

/// Returned when there is no memory for an error object; never freed.
hdb_error* out_of_memory_error() noexcept {
  static hdb_error error{HDB_OUT_OF_MEMORY, "out of memory", {}};  // fits into a short string
  return &error;
}

hdb_error make_error(hdb_status status, std::string what) {
  hdb_error error;
  error.status = status;
  error.message = what;
  error.error.what = std::move(what);
  return error;
}

// Texts may hold any bytes, but C programs read them up to the first zero.
void drop_zeros(std::string& text) {
  for (char& c : text) {
    if (c == '\0') c = '?';
  }
}

hdb_error make_error(hdb_status status, Error given) {
  hdb_error error;
  error.status = status;
  error.message = given.message();
  error.error = std::move(given);
  for (std::string* const text :
       {&error.message, &error.error.what, &error.error.where, &error.error.file}) {
    drop_zeros(*text);
  }
  return error;
}

hdb_status give(hdb_error** to, const auto& make) noexcept {
  try {
    hdb_error made = make();
    const hdb_status status = made.status;
    if (to != nullptr) *to = new hdb_error(std::move(made));
    return status;
  } catch (...) {
    if (to != nullptr) *to = out_of_memory_error();
    return HDB_OUT_OF_MEMORY;
  }
}

}  // namespace

hdb_status status_of_exception(hdb_error** error) noexcept {
  try {
    throw;
  } catch (Failure& failure) {
    const auto status = static_cast<hdb_status>(failure.error.code);
    return give(error, [&] { return make_error(status, std::move(failure.error)); });
  } catch (BadArgument& bad) {
    return give(error, [&] { return make_error(HDB_BAD_ARGUMENT, std::move(bad.error)); });
  } catch (const std::bad_alloc&) {
    if (error != nullptr) *error = out_of_memory_error();
    return HDB_OUT_OF_MEMORY;
  } catch (const std::length_error&) {  // a size that no memory has
    if (error != nullptr) *error = out_of_memory_error();
    return HDB_OUT_OF_MEMORY;
  } catch (const std::exception& other) {
    return give(error, [&] { return make_error(HDB_UNEXPECTED, other.what()); });
  } catch (...) {
    return give(error, [&] { return make_error(HDB_UNEXPECTED, "an unknown exception"); });
  }
}

void refuse(ErrorCode code, std::string what, std::string where) {
  throw Failure{Error{code, std::move(what), kNoOffset, std::move(where)}};
}

void refuse_argument(std::string what, std::string_view where) {
  // The category of the message is that of all wrong uses; the status is HDB_BAD_ARGUMENT.
  throw BadArgument{Error{ErrorCode::bad_options, std::move(what), kNoOffset, std::string(where)}};
}

void require_range(std::int64_t number, std::int64_t least, std::int64_t most,
                   std::string_view name, std::string_view where) {
  if (number >= least && number <= most) return;
  refuse_argument("'" + std::string(name) + "' is " + std::to_string(number) + ", but may be " +
                      (most == least + 1 ? std::to_string(least) + " or "
                                         : "from " + std::to_string(least) + " to ") +
                      std::to_string(most),
                  where);
}

void require_size(std::size_t size, std::size_t alignment, std::size_t known_size,
                  std::string_view where) {
  if (size >= sizeof(std::size_t) && size % alignment == 0) return;
  refuse_argument("'struct_size' is " + std::to_string(size) +
                      ", but must be the size of the structure: " + std::to_string(known_size) +
                      " in this version of hdb",
                  where);
}

void refuse_newer(std::size_t size, std::size_t known_size, std::string_view where) {
  refuse_argument("'struct_size' is " + std::to_string(size) + ", but this version of hdb knows " +
                      std::to_string(known_size) +
                      " bytes, and those after them are not 0; use the version of the program's "
                      "header, or leave its new members 0",
                  where);
}

char* text_for_caller(std::string_view text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace hdb::c

extern "C" {

hdb_status hdb_error_status(const hdb_error* error) {
  return error == nullptr ? hdb_status{HDB_OK} : error->status;
}
const char* hdb_error_message(const hdb_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}
const char* hdb_error_what(const hdb_error* error) {
  return error == nullptr ? "" : error->error.what.c_str();
}
const char* hdb_error_where(const hdb_error* error) {
  return error == nullptr ? "" : error->error.where.c_str();
}
const char* hdb_error_file(const hdb_error* error) {
  return error == nullptr ? "" : error->error.file.c_str();
}
uint64_t hdb_error_offset(const hdb_error* error) {
  return error == nullptr ? UINT64_MAX : error->error.offset;
}
void hdb_error_free(hdb_error* error) {
  if (error != hdb::c::out_of_memory_error()) delete error;
}

const char* hdb_status_name(hdb_status status) {
  switch (status) {
    case HDB_OK: return "ok";
    case HDB_OUT_OF_MEMORY: return "out_of_memory";
    case HDB_BAD_ARGUMENT: return "bad_argument";
    case HDB_UNEXPECTED: return "unexpected";
#define HDB_ERROR(name, number, category, text, next) \
  case number:                                        \
    return #name;
#include "hdb/error_codes.def"
#undef HDB_ERROR
    default: return "";
  }
}
const char* hdb_status_next_step(hdb_status status) {
  switch (status) {
    case HDB_OUT_OF_MEMORY: return "free memory and try again; nothing has changed";
    case HDB_BAD_ARGUMENT: return "correct the argument that the message names";
#define HDB_ERROR(name, number, category, text, next) \
  case number:                                        \
    return next;
#include "hdb/error_codes.def"
#undef HDB_ERROR
    default: return "";
  }
}

void hdb_free(void* memory) { std::free(memory); }

const char* hdb_version(void) { return HDB_C_LIBRARY_VERSION; }

}  // extern "C"
