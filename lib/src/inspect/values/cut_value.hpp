// Values that are too large to be shown whole.
#pragma once

#include <string>

#include "hdb/inspect/values.hpp"

namespace hdb {

/// Whether the text of a value certainly has more than `max_bytes` bytes.
[[nodiscard]] bool is_cut(const Value& value, std::uint64_t max_bytes) noexcept;
/// The begin of a value, whose text has about `max_bytes` bytes.
[[nodiscard]] Value begin_of(const Value& value, std::uint64_t max_bytes);
/// What is said of a value that is not shown whole: " ... 60000 elements, hash 0123456789abcdef".
[[nodiscard]] std::string cut_note(const Value& value);

}  // namespace hdb
