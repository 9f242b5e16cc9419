// The slow paths of column sinks and row buffers.
#include "hdb/detail/record/sinks.hpp"

#include <algorithm>

#include "hdb/bytes.hpp"

namespace hdb::detail::record {

void ColumnSink::flush() {
  if (out_ != nullptr) out_->insert(out_->end(), begin_, at_);
  at_ = begin_;
}

void ColumnSink::append_slowly(const void* bytes, std::size_t size) {
  flush();
  if (size <= static_cast<std::size_t>(end_ - begin_)) {
    std::memcpy(at_, bytes, size);
    at_ += size;
  } else if (out_ != nullptr) {
    const auto* const from = static_cast<const std::byte*>(bytes);
    out_->insert(out_->end(), from, from + size);
  }
}

std::span<const std::byte> RowBuffer::bytes() const noexcept { return {begin_.get(), size()}; }

void RowBuffer::grow(std::size_t more) {
  const std::size_t used = size();
  const std::size_t capacity = std::max<std::size_t>(256, 2 * (used + more));
  auto bigger = unset_bytes(capacity);
  if (used != 0) std::memcpy(bigger.get(), begin_.get(), used);
  begin_ = std::move(bigger);
  at_ = begin_.get() + used;
  end_ = begin_.get() + capacity;
}

}  // namespace hdb::detail::record
