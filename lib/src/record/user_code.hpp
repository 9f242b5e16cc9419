// Runs functions of a record type: with what they throw turned into errors, on objects of its own.
#pragma once

#include <cstring>
#include <exception>
#include <new>
#include <optional>

#include "hdb/detail/record/serialize_functions.hpp"

namespace hdb::detail::record {

/// Runs `body`; what it throws becomes an Error, with `recorded` first. Out of memory passes.
template <class Body, class Recorded>
Status guarded(const Body& body, const Recorded& recorded, const std::string& where) {
  try {
    body();
  } catch (const Unwind&) {  // recorded below
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (!recorded()) return fail(ErrorCode::user_code_threw, error.what(), where);
  } catch (...) {
    if (!recorded())
      return fail(ErrorCode::user_code_threw,
                  "serialize() threw something that is not a std::exception", where);
  }
  if (const std::optional<Error>& error = recorded()) return fail(*error);
  return {};
}

/// Memory for one record; holds one while `is_alive`.
class Room {
 public:
  explicit Room(const SerializeFunctions& ops)
      : ops_(ops),
        bytes_(static_cast<std::byte*>(::operator new(ops.size, std::align_val_t(ops.alignment)))) {
    std::memset(bytes_, 0, ops.size);
  }
  ~Room() {
    if (is_alive_) ops_.destroy(bytes_);
    ::operator delete(bytes_, std::align_val_t(ops_.alignment));
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  void construct() {
    ops_.construct(bytes_);
    is_alive_ = true;
  }
  [[nodiscard]] std::byte* bytes() const noexcept { return bytes_; }

 private:
  const SerializeFunctions& ops_;
  std::byte* bytes_;
  bool is_alive_ = false;
};

}  // namespace hdb::detail::record
