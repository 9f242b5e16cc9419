// Bytes for EnTT's own snapshots.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace hdb::bench {

/// EnTT's snapshots write to it and read from it: bytes, one after the other.
class RawArchive {
 public:
  template <class T>
  void operator()(const T& value) {
    const auto* const from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  template <class T>
  void operator()(T& value) {
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
  }
  void rewind() noexcept { at_ = 0; }
  std::vector<std::byte>& bytes() noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace hdb::bench
