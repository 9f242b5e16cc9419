// A growing buffer that numbers and texts are written straight into.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace hdb::inspect::dumping {

class TextBuffer {
 public:
  /// Room for `bytes` more; what is written there counts once `end` is told where it ends.
  [[nodiscard]] char* room(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return data_.get() + size_;
  }
  void end(const char* at) { size_ = static_cast<std::size_t>(at - data_.get()); }

  void put(char c) { *room(1) = c, ++size_; }
  void put(std::string_view text) {
    if (text.empty()) return;  // its data may be null
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  template <class Integer>
  void put_number(Integer value) {
    constexpr std::size_t kDigits = 24;
    char* const at = room(kDigits);
    end(std::to_chars(at, at + kDigits, value).ptr);
  }
  [[nodiscard]] std::string_view view() const { return {data_.get(), size_}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void clear() { size_ = 0; }
  /// Forgets what stands behind the first `size` bytes.
  void cut(std::size_t size) { size_ = size; }

 private:
  void grow(std::size_t bytes) {
    const std::size_t wanted = std::max(2 * capacity_, size_ + bytes + (std::size_t{64} << 10));
    // Not make_unique: that would write zeros first.
    std::unique_ptr<char[]> bigger(new char[wanted]);
    if (size_ != 0) std::memcpy(bigger.get(), data_.get(), size_);
    data_ = std::move(bigger);
    capacity_ = wanted;
  }

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// A float as value_text writes it: the fewest digits that read back the same, plain while that is
/// readable.
void put_float(TextBuffer& out, float value);
void put_float(TextBuffer& out, double value);

/// A text as json_text writes it.
void put_json_text(TextBuffer& out, std::string_view text);

}  // namespace hdb::inspect::dumping
