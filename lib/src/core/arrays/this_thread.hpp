// Which thread this is, for messages about calls that would wait for themselves.
#pragma once

namespace hdb::detail {

/// The same address in one thread, another in each other.
[[nodiscard]] inline const void* this_thread() noexcept {
  static thread_local char marker;
  return &marker;
}

/// A callback changes what hdb is reading for it.
inline constexpr const char* kChangesWhatItReads =
    "a record is changed by code that hdb calls to read it (its serialize, its copy constructor, "
    "or a visitor)";

}  // namespace hdb::detail
