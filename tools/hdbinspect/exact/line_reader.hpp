// Lines of any length from a stream of bytes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hdb/error.hpp"

namespace hdb::inspect {

/// Reads lines, one at a time.
class LineReader {
 public:
  /// `read` fills a part of what it is given and says how much; 0 at the end.
  using Read = std::function<Result<std::size_t>(std::span<std::byte>)>;
  explicit LineReader(Read read) : read_(std::move(read)) {}

  /// The next line without its end, followed by a zero; empty with a null pointer at the end. Good
  /// until the next call.
  /// Errors: those of `read`; limit_exceeded for a line of more than JsonDocument::kMaxBytes.
  [[nodiscard]] Result<std::span<char>> next();

 private:
  Read read_;
  std::vector<char> buffer_;
  std::size_t first_ = 0;  // of what was not given out
  std::size_t end_ = 0;    // of what was read
  bool at_end_ = false;
};

}  // namespace hdb::inspect
