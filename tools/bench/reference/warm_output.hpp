// Memory for what an archive writes, used again at each save.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <streambuf>
#include <vector>

namespace hdb::reference {

/// Bytes that a stream writes; they keep their memory, so that it is warm.
class WarmOutput final : public std::streambuf {
 public:
  void clear() noexcept { used_ = 0; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return std::span(bytes_).first(used_); }

 protected:
  std::streamsize xsputn(const char* from, std::streamsize count) override {
    const auto size = static_cast<std::size_t>(count);
    if (bytes_.size() - used_ < size) bytes_.resize(2 * bytes_.size() + size);
    std::memcpy(bytes_.data() + used_, from, size);
    used_ += size;
    return count;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
};

}  // namespace hdb::reference
