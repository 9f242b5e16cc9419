// Sinks and sources in memory.
#include "hdb/io.hpp"

#include <algorithm>
#include <string>

namespace hdb {

Status MemorySink::write(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return {};
}

Status MemorySink::reserve(std::uint64_t size_bytes) {
  static_cast<void>(size_bytes);  // an upper bound may be far too large for memory
  return {};
}

MemorySource::MemorySource(Bytes bytes)
    : MemorySource(std::make_shared<const Bytes>(std::move(bytes))) {}
MemorySource::MemorySource(std::shared_ptr<const Bytes> bytes)
    : owned_(std::move(bytes)), bytes_(*owned_) {}

Result<std::uint64_t> MemorySource::size() { return bytes_.size(); }

Status MemorySource::read_at(std::uint64_t offset, std::span<std::byte> out) {
  if (offset > bytes_.size() || bytes_.size() - offset < out.size()) {
    return fail(ErrorCode::truncated,
                std::to_string(out.size()) + " bytes are needed here, but the file ends at byte " +
                    std::to_string(bytes_.size()),
                "reading", offset);
  }
  const auto from = bytes_.subspan(static_cast<std::size_t>(offset), out.size());
  std::copy(from.begin(), from.end(), out.begin());
  return {};
}

}  // namespace hdb
