// One buffer, as large as the longest line.
#include "exact/line_reader.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "hdb/inspect/json.hpp"

namespace hdb::inspect {

Result<std::span<char>> LineReader::next() {
  constexpr std::size_t kReadBytes = std::size_t{256} << 10;
  std::size_t searched = first_;
  for (;;) {
    char* const begin = buffer_.data();
    if (searched < end_) {
      auto* const found = static_cast<char*>(std::memchr(begin + searched, '\n', end_ - searched));
      if (found != nullptr) {
        *found = '\0';
        const std::span<char> line(begin + first_, found);
        first_ = static_cast<std::size_t>(found - begin) + 1;
        return line;
      }
    }
    searched = end_;
    if (at_end_) {
      if (first_ == end_) return std::span<char>();
      begin[end_] = '\0';  // there is room: see below
      const std::span<char> line(begin + first_, begin + end_);
      first_ = end_;
      return line;
    }
    if (end_ - first_ > JsonDocument::kMaxBytes)
      return fail(ErrorCode::limit_exceeded,
                  fmt::format("the line has more than {} bytes", JsonDocument::kMaxBytes));
    if (first_ != 0) {
      std::memmove(begin, begin + first_, end_ - first_);
      searched -= first_;
      end_ -= std::exchange(first_, 0);
    }
    if (buffer_.size() < end_ + kReadBytes + 1)
      buffer_.resize(std::max(end_ + kReadBytes + 1, 2 * buffer_.size()));
    const auto got =
        read_(std::as_writable_bytes(std::span(buffer_).subspan(end_, buffer_.size() - end_ - 1)));
    if (!got) return fail(got.error());
    if (*got == 0) at_end_ = true;
    end_ += *got;
  }
}

}  // namespace hdb::inspect
