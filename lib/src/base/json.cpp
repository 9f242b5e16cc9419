// JSON texts and numbers.
#include "hdb/inspect/text.hpp"

#include "hdb/bytes.hpp"

namespace hdb {
namespace {

constexpr std::int64_t kMaxExact = std::int64_t{1} << 53;

void append_unit(std::string& out, std::uint32_t unit) {
  out += "\\u";
  for (unsigned shift = 16; shift != 0;) {
    shift -= 4;
    out += "0123456789abcdef"[unit >> shift & 15U];
  }
}

void append_escape(std::string& out, std::uint32_t code) {
  if (code < 0x10000) return append_unit(out, code);
  const std::uint32_t rest = code - 0x10000;
  append_unit(out, 0xd800 + (rest >> 10));
  append_unit(out, 0xdc00 + (rest & 0x3ff));
}

// Neither escaped nor part of a longer code point.
constexpr bool is_plain_json(char c) noexcept {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

}  // namespace

std::string json_text(std::string_view text) {
  if (!is_utf8(text)) return JsonObject().raw("hex", '"' + hex_text(bytes_of(text)) + '"').str();
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    while (at < text.size() && is_plain_json(text[at])) ++at;
    if (at != start) {
      out += text.substr(start, at - start);
      continue;
    }
    std::uint32_t code = 0;
    static_cast<void>(take_code_point(text, at, code));
    if (code == '"') {
      out += "\\\"";
    } else if (code == '\\') {
      out += "\\\\";
    } else if (code == '\n') {
      out += "\\n";
    } else if (code == '\t') {
      out += "\\t";
    } else if (is_unsafe(code)) {
      append_escape(out, code);
    } else {
      out += text.substr(start, at - start);
    }
  }
  out += '"';
  return out;
}

std::string json_number(std::int64_t value) {
  if (value > kMaxExact || value < -kMaxExact) return '"' + std::to_string(value) + '"';
  return std::to_string(value);
}

std::string json_number(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(kMaxExact)) return '"' + std::to_string(value) + '"';
  return std::to_string(value);
}

JsonObject& JsonObject::raw(std::string_view name, std::string_view json) {
  members_ += members_.empty() ? '{' : ',';
  members_ += json_text(name);
  members_ += ':';
  members_ += json;
  return *this;
}

}  // namespace hdb
