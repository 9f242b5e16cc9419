// The byte writer and reader, varints and the UTF-8 check.
#include "hdb/bytes.hpp"
#include "hdb/byte_io.hpp"

namespace hdb {

std::span<const std::byte> bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

const std::byte* load_varint(const std::byte* at, const std::byte* end,
                             std::uint64_t& value) noexcept {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == end) return nullptr;
    const auto byte = std::to_integer<std::uint64_t>(*at++);
    if (shift == 63 && byte > 1) return nullptr;  // over 64 bits
    if (byte == 0 && shift != 0) return nullptr;  // not the shortest form
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return at;
  }
  return nullptr;
}

void ByteWriter::u8(std::uint8_t value) { out_.push_back(static_cast<std::byte>(value)); }

void ByteWriter::pad_to(std::size_t alignment) {
  while (out_.size() % alignment != 0) out_.push_back(std::byte{0});
}

void ByteWriter::raw(std::span<const std::byte> bytes) {
  out_.insert(out_.end(), bytes.begin(), bytes.end());
}

bool is_utf8(std::string_view text) noexcept {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at != end) {
    const unsigned char lead = *at++;
    if (lead < 0x80) continue;
    std::ptrdiff_t more = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
      more = 1;
    } else if (lead >= 0xe0 && lead <= 0xef) {
      more = 2;
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      more = 3;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    } else {
      return false;
    }
    if (end - at < more) return false;
    if (*at < low || *at > high) return false;
    for (std::ptrdiff_t i = 1; i < more; ++i) {
      if (at[i] < 0x80 || at[i] > 0xbf) return false;
    }
    at += more;
  }
  return true;
}

std::span<const std::byte> ByteReader::raw(std::uint64_t size) {
  if (failed_) return {};
  if (size > remaining()) {
    fail_here("the data ends too early: " + std::to_string(size) + " bytes are needed, " +
              std::to_string(remaining()) + " are left");
    return {};
  }
  const auto bytes = bytes_.subspan(position_, static_cast<std::size_t>(size));
  position_ += static_cast<std::size_t>(size);
  return bytes;
}

std::uint64_t ByteReader::varint() {
  if (failed_) return 0;
  std::uint64_t value = 0;
  const std::byte* const end = bytes_.data() + bytes_.size();
  const std::byte* const next = load_varint(bytes_.data() + position_, end, value);
  if (next == nullptr) {
    fail_here("a varint is cut off or not in its shortest form");
    return 0;
  }
  position_ = static_cast<std::size_t>(next - bytes_.data());
  return value;
}

std::string ByteReader::text(std::uint64_t max_size) {
  const std::uint64_t start = offset();
  const std::uint64_t size = varint();
  if (size > max_size) {
    fail_at(start, "a text has " + std::to_string(size) + " bytes; at most " +
                       std::to_string(max_size) + " are allowed");
    return {};
  }
  const auto bytes = raw(size);
  std::string value(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!is_utf8(value)) fail_at(start, "a text is not UTF-8");
  return failed_ ? std::string{} : value;
}

void ByteReader::zero_padding_to(std::size_t alignment) {
  while (!failed_ && position_ % alignment != 0) {
    const std::uint64_t at = offset();
    if (u8() != 0) fail_at(at, "the padding is not zero");
  }
}

void ByteReader::fail_at(std::uint64_t offset, std::string what, std::optional<ErrorCode> code) {
  if (failed_) return;
  failed_ = true;
  code_ = code.value_or(code_);
  failed_offset_ = offset;
  failed_what_ = std::move(what);
  position_ = bytes_.size();
}

void ByteReader::expect_end() {
  if (!failed_ && !at_end())
    fail_here(std::to_string(remaining()) + " bytes are left over at the end");
}

Error ByteReader::error(std::string where) const {
  return Error{code_, failed_what_, failed_offset_, std::move(where), {}};
}

std::unique_ptr<std::byte[]> unset_bytes(std::size_t size_bytes) {
  return std::unique_ptr<std::byte[]>(new std::byte[size_bytes]);
}

}  // namespace hdb
