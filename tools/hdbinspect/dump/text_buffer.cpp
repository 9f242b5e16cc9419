// Floats and JSON texts: the common case at once, the rest as the library writes it.
#include "dump/text_buffer.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::inspect::dumping {
namespace {

// Between these the shortest fixed form has the very digits of the shortest form: whole numbers are
// exact, and no float with a fraction is so near to a whole number that its shortest form is one.
template <class Float>
bool is_plain(Float value) {
  constexpr Float kLeast = static_cast<Float>(1e-4);
  constexpr Float kMost = sizeof(Float) == 4 ? Float{16777216} : Float{4503599627370496};
  const Float size = std::fabs(value);
  return size >= kLeast && size < kMost;
}

template <class Float, class Bits>
void put_any_float(TextBuffer& out, Float value, FieldKind kind) {
  constexpr std::size_t kLongest = 48;
  if (std::bit_cast<Bits>(value) == 0) return out.put('0');
  if (!is_plain(value)) return out.put(float_text(kind, std::bit_cast<Bits>(value)));
  char* const at = out.room(kLongest);
  const auto whole = static_cast<std::int64_t>(value);
  if (static_cast<Float>(whole) == value) {
    out.end(std::to_chars(at, at + kLongest, whole).ptr);
  } else {
    out.end(std::to_chars(at, at + kLongest, value, std::chars_format::fixed).ptr);
  }
}

// Whether one of the eight bytes is a control character, a quote, a backslash, or beyond printable
// ASCII.
bool needs_escape(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
  const auto has_zero = [](std::uint64_t x) { return (x - kOnes) & ~x & kHigh; };
  const std::uint64_t below = (word - kOnes * 0x20) & ~word & kHigh;
  return (word & kHigh) != 0 || below != 0 || has_zero(word ^ (kOnes * '"')) != 0 ||
         has_zero(word ^ (kOnes * '\\')) != 0 || has_zero(word ^ (kOnes * 0x7f)) != 0;
}

}  // namespace

void put_float(TextBuffer& out, float value) {
  put_any_float<float, std::uint32_t>(out, value, FieldKind::f32);
}

void put_float(TextBuffer& out, double value) {
  put_any_float<double, std::uint64_t>(out, value, FieldKind::f64);
}

void put_json_text(TextBuffer& out, std::string_view text) {
  const std::size_t before = out.size();
  char* at = out.room(text.size() + 2 + sizeof(std::uint64_t));
  *at++ = '"';
  std::size_t done = 0;
  for (; done + sizeof(std::uint64_t) <= text.size(); done += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + done, sizeof word);
    if (needs_escape(word)) break;
    std::memcpy(at + done, &word, sizeof word);
  }
  for (; done < text.size(); ++done) {
    const auto c = static_cast<unsigned char>(text[done]);
    if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') break;
    at[done] = text[done];
  }
  if (done == text.size()) {
    at[done] = '"';
    return out.end(at + done + 1);
  }
  out.cut(before);
  out.put(json_text(text));
}

}  // namespace hdb::inspect::dumping
