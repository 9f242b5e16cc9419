// Escapes, digits, numbers.
#include "hdb/inspect/text.hpp"

#include <algorithm>
#include <array>
#include <locale>
#include <sstream>

#include "hdb/bytes.hpp"

namespace hdb {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

bool is_unsafe(std::uint32_t code) noexcept {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0xad || code == 0x61c ||
         (code >= 0x180b && code <= 0x180f) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
         code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
         (code >= 0xe0000 && code <= 0xe0fff);
}

bool take_code_point(std::string_view text, std::size_t& at, std::uint32_t& code_point) noexcept {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length > text.size() - at || !is_utf8(text.substr(at, length))) {
    code_point = lead;
    at += 1;
    return false;
  }
  constexpr std::array<unsigned char, 5> kMask{0, 0x7f, 0x1f, 0x0f, 0x07};
  code_point = lead & kMask[length];
  for (std::size_t i = 1; i < length; ++i) {
    code_point = code_point << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fU);
  }
  at += length;
  return true;
}

std::string_view take_piece(std::string_view& text, std::size_t max_bytes) noexcept {
  std::size_t size = std::min(text.size(), max_bytes);
  if (size != text.size()) {
    // A code point has at most three bytes after its first; more of them are not UTF-8.
    const auto continues = [&](std::size_t at) {
      return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80;
    };
    std::size_t begin = size;
    while (begin != 0 && size - begin < 3 && continues(begin)) --begin;
    if (begin == 0 || !continues(begin)) size = begin;
  }
  const std::string_view piece = text.substr(0, size);
  text.remove_prefix(size);
  return piece;
}

namespace {

struct AlsoEscaped {
  bool backslashes = true;
  bool quotes = false;
};

// Neither escaped nor part of a longer code point.
constexpr bool is_plain(char c) noexcept { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

std::string escape(std::string_view text, AlsoEscaped also) {
  std::string out;
  out.reserve(text.size() + 2);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    while (at < text.size() && is_plain(text[at])) ++at;
    if (at != start) {
      out += text.substr(start, at - start);
      continue;
    }
    std::uint32_t code = 0;
    if (!take_code_point(text, at, code)) {
      out += "\\x" + hex_number(code, 2);
    } else if (code == '\n') {
      out += "\\n";
    } else if (code == '\t') {
      out += "\\t";
    } else if (code == '\\' && also.backslashes) {
      out += "\\\\";
    } else if (code == '"' && also.quotes) {
      out += "\\\"";
    } else if (is_unsafe(code)) {
      out += "\\u{" + hex_number(code) + "}";
    } else {
      out += text.substr(start, at - start);
    }
  }
  return out;
}

}  // namespace

std::string escape_text(std::string_view text) { return escape(text, {}); }

std::string printable_text(std::string_view text) { return escape(text, {.backslashes = false}); }

std::string quote_text(std::string_view text) { return '"' + escape(text, {.quotes = true}) + '"'; }

std::string hex_text(std::span<const std::byte> bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    out += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    out += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return out;
}

std::string hex_number(std::uint64_t value, unsigned digits) {
  std::string out;
  for (unsigned shift = 64; shift != 0;) {
    shift -= 4;
    const auto digit = static_cast<std::size_t>(value >> shift & 15U);
    if (digit != 0 || !out.empty() || shift / 4 < digits) out += kDigits[digit];
  }
  return out;
}

std::from_chars_result parse_double(std::string_view text, double& value) {
  const char* at = text.data();
  const char* const end = at + text.size();
  bool is_zero = true;
  const auto skip_digits = [&] {
    const char* const first = at;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) is_zero = is_zero && *at == '0';
    return at - first;
  };
  if (at != end && *at == '-') ++at;
  std::ptrdiff_t digits = skip_digits();
  if (at != end && *at == '.') {
    ++at;
    digits += skip_digits();
  }
  if (digits == 0) return {text.data(), std::errc::invalid_argument};
  if (at != end && (*at == 'e' || *at == 'E')) {
    const bool is_nothing = is_zero;
    const char* const mantissa_end = at++;
    if (at != end && (*at == '-' || *at == '+')) ++at;
    if (skip_digits() == 0) at = mantissa_end;  // the e belongs to what follows
    is_zero = is_nothing;
  }
  std::istringstream stream(std::string(text.data(), at));
  stream.imbue(std::locale::classic());
  double number = 0;
  const bool is_read = static_cast<bool>(stream >> number);
  if (!is_read || (number == 0 && !is_zero)) return {at, std::errc::result_out_of_range};
  value = number;
  return {at, std::errc{}};
}

}  // namespace hdb
