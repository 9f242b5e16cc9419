// The parser of JSON texts: one pass, in place, with a stack of its own.
#include <algorithm>
#include <charconv>
#include <string>

#include "hdb/bytes.hpp"
#include "hdb/inspect/json.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

// Deeper than any record: a schema is nested 32 deep at most, each of them takes two brackets at
// most.
constexpr std::size_t kMaxJsonDepth = 80;

class JsonParser {
 public:
  JsonParser(char* text, std::size_t size, std::vector<JsonNode>& nodes,
             std::vector<std::uint32_t>& lines)
      : begin_(text), at_(text), end_(text + size), nodes_(nodes), lines_(lines) {}

  /// False after a fault: `problem` says what is wrong at `offset`.
  [[nodiscard]] bool run() {
    for (;;) {
      bool is_open = false;  // an array or object that is not empty
      if (!take_value(is_open)) return false;
      if (!is_open && !end_values()) return false;
      if (open_.empty()) break;
      if (nodes_[open_.back()].kind == JsonKind::object && !take_name()) return false;
    }
    skip_blanks();
    return at_ == end_ || fault("it must end after its value");
  }
  [[nodiscard]] std::string_view problem() const noexcept { return problem_; }
  [[nodiscard]] bool has_too_many() const noexcept { return has_too_many_; }
  [[nodiscard]] std::uint32_t offset() const noexcept {
    return static_cast<std::uint32_t>(at_ - begin_);
  }

 private:
  bool fault(std::string_view problem) {
    problem_ = problem;
    return false;
  }
  void skip_blanks() {
    for (; at_ != end_; ++at_) {
      if (*at_ == '\n') {
        lines_.push_back(offset() + 1);
      } else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r') {
        return;
      }
    }
  }
  [[nodiscard]] bool next_is(char c) {
    skip_blanks();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  /// Reads a number, text or word, or the begin of an array or object.
  bool take_value(bool& is_open) {
    skip_blanks();
    if (nodes_.size() >= JsonDocument::kMaxValues) {
      has_too_many_ = true;
      return fault("it has too many values");
    }
    if (at_ == end_) return fault("a value is missing");
    JsonNode node;
    node.at = offset();
    node.name = name_;
    node.end = static_cast<std::uint32_t>(nodes_.size() + 1);
    name_ = {};
    switch (*at_) {
      case '{': return open(node, JsonKind::object, '}', is_open);
      case '[': return open(node, JsonKind::array, ']', is_open);
      case '"': node.kind = JsonKind::text; break;
      case 't': node.truth = true; [[fallthrough]];
      case 'f': node.kind = JsonKind::boolean; break;
      case 'n': node.kind = JsonKind::null; break;
      default: node.kind = JsonKind::number; break;
    }
    const bool is_read = node.kind == JsonKind::text     ? take_text(node.text)
                         : node.kind == JsonKind::number ? take_number(node.text)
                         : node.kind == JsonKind::null   ? take_word("null")
                                                         : take_word(node.truth ? "true" : "false");
    if (is_read) nodes_.push_back(node);
    return is_read;
  }
  bool open(JsonNode& node, JsonKind kind, char close, bool& is_open) {
    if (open_.size() >= kMaxJsonDepth) return fault("it is nested too deeply");
    ++at_;
    node.kind = kind;
    nodes_.push_back(node);
    is_open = !next_is(close);
    if (is_open) open_.push_back(nodes_.size() - 1);
    return true;
  }
  /// After a value: closes what ends here. False after a fault.
  bool end_values() {
    while (!open_.empty()) {
      JsonNode& parent = nodes_[open_.back()];
      ++parent.count;
      if (next_is(',')) return true;
      const bool is_object = parent.kind == JsonKind::object;
      if (!next_is(is_object ? '}' : ']')) {
        return fault(is_object ? "',' or '}' is needed after a member"
                               : "',' or ']' is needed after an element");
      }
      parent.end = static_cast<std::uint32_t>(nodes_.size());
      open_.pop_back();
    }
    return true;
  }
  bool take_name() {
    skip_blanks();
    if (at_ == end_ || *at_ != '"') return fault("the name of a member is needed, in quotes");
    if (!take_text(name_)) return false;
    return next_is(':') || fault("':' is needed after the name of a member");
  }
  bool take_word(std::string_view word) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word))
      return fault("this is not a value of JSON");
    at_ += word.size();
    return true;
  }
  [[nodiscard]] bool skip_digits() {
    const char* const first = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != first;
  }
  bool take_number(std::string_view& out) {
    char* const first = at_;
    if (*at_ == '-') ++at_;
    const char* const digits = at_;
    if (!skip_digits()) {
      at_ = first;
      return fault("this is not a value of JSON");
    }
    if (*digits == '0' && at_ - digits > 1) return fault("a number begins with a needless 0");
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!skip_digits()) return fault("a digit is needed after the point");
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!skip_digits()) return fault("a digit is needed in the exponent");
    }
    out = {first, static_cast<std::size_t>(at_ - first)};
    return true;
  }
  /// Reads a text; what its escapes mean is written over it.
  bool take_text(std::string_view& out) {
    char* const first = ++at_;
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && !is_control(*at_)) ++at_;
    char* to = at_;
    while (at_ != end_ && *at_ != '"') {
      if (is_control(*at_)) return fault("a control character in a text needs an escape");
      if (*at_ != '\\') {
        *to++ = *at_++;
      } else if (!take_escape(to)) {
        return false;
      }
    }
    if (at_ == end_) return fault("'\"' is needed at the end of a text");
    ++at_;
    out = {first, static_cast<std::size_t>(to - first)};
    return true;
  }
  static bool is_control(char c) noexcept { return static_cast<unsigned char>(c) < 0x20; }
  bool take_escape(char*& to) {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char c = at_ + 1 == end_ ? '\0' : at_[1];
    if (c != 'u') {
      const std::size_t found = kEscapes.find(c);
      if (c == '\0' || found == std::string_view::npos) return fault("this escape is unknown");
      *to++ = kMeanings[found];
      at_ += 2;
      return true;
    }
    std::uint32_t code = 0;
    if (!take_unit(code)) return false;
    if (code >= 0xd800 && code < 0xe000) {
      std::uint32_t low = 0;
      const bool is_pair = code < 0xdc00 && end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u';
      if (!is_pair) return fault("half of a surrogate pair is missing");
      if (!take_unit(low)) return false;
      if (low < 0xdc00 || low >= 0xe000) return fault("half of a surrogate pair is missing");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    put_code(code, to);
    return true;
  }
  bool take_unit(std::uint32_t& unit) {
    constexpr std::ptrdiff_t kSize = 6;  // \uXXXX
    if (end_ - at_ >= kSize) {
      const auto [end, error] = std::from_chars(at_ + 2, at_ + kSize, unit, 16);
      if (error == std::errc{} && end == at_ + kSize) {
        at_ += kSize;
        return true;
      }
    }
    return fault("four hexadecimal digits are needed after \\u");
  }
  static void put_code(std::uint32_t code, char*& to) noexcept {
    const auto tail = [&](unsigned shift) {
      *to++ = static_cast<char>(0x80 | (code >> shift & 0x3f));
    };
    if (code < 0x80) {
      *to++ = static_cast<char>(code);
    } else if (code < 0x800) {
      *to++ = static_cast<char>(0xc0 | code >> 6);
      tail(0);
    } else if (code < 0x10000) {
      *to++ = static_cast<char>(0xe0 | code >> 12);
      tail(6);
      tail(0);
    } else {
      *to++ = static_cast<char>(0xf0 | code >> 18);
      tail(12);
      tail(6);
      tail(0);
    }
  }

  char* const begin_;
  char* at_;
  char* const end_;
  std::vector<JsonNode>& nodes_;
  std::vector<std::uint32_t>& lines_;
  std::vector<std::size_t> open_;
  std::string_view name_;
  std::string_view problem_;
  bool has_too_many_ = false;
};

template <class Number>
bool read_whole(const JsonNode& node, Number& value) noexcept {
  if (node.kind != JsonKind::number && node.kind != JsonKind::text) return false;
  if (node.text == "-0") return false;  // of a float
  const char* const end = node.text.data() + node.text.size();
  const auto [at, error] = std::from_chars(node.text.data(), end, value);
  return error == std::errc{} && at == end && !node.text.empty();
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Status JsonDocument::parse(char* text, std::size_t size, std::string_view noun, ErrorCode code) {
  nodes_.clear();
  lines_.clear();
  const std::string the_text = "the " + std::string(noun);
  if (size > kMaxBytes) {
    return fail(ErrorCode::limit_exceeded,
                the_text + " has more than " + std::to_string(kMaxBytes) + " bytes");
  }
  if (!is_utf8({text, size})) return fail(code, the_text + " is not UTF-8");
  JsonParser parser(text, size, nodes_, lines_);
  if (parser.run()) return {};
  return fail(parser.has_too_many() ? ErrorCode::limit_exceeded : code,
              the_text + " is not valid JSON: " + std::string(parser.problem()) + " (" +
                  place(parser.offset()) + " of " + the_text + ")");
}

std::string JsonDocument::place(std::uint32_t at) const {
  if (lines_.empty()) return "byte " + std::to_string(at);
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), at);
  const std::uint32_t begin = after == lines_.begin() ? 0 : *std::prev(after);
  return "byte " + std::to_string(at - begin) + " of line " +
         std::to_string(after - lines_.begin() + 1);
}

std::string_view json_kind_name(JsonKind kind) noexcept {
  switch (kind) {
    case JsonKind::null: return "null";
    case JsonKind::boolean: return "a boolean";
    case JsonKind::number: return "a number";
    case JsonKind::text: return "a text";
    case JsonKind::array: return "an array";
    case JsonKind::object: return "an object";
  }
  return "nothing";
}

bool read_number(const JsonNode& node, std::uint64_t& value) noexcept {
  return read_whole(node, value);
}
bool read_number(const JsonNode& node, std::int64_t& value) noexcept {
  return read_whole(node, value);
}

bool decode_hex(std::string_view digits, std::string& bytes) {
  if (digits.size() % 2 != 0) return false;
  bytes.resize(digits.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_digit(digits[2 * i]);
    const int low = hex_digit(digits[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<char>(high << 4 | low);
  }
  return true;
}

bool read_hex(const JsonDocument& json, const JsonNode& node, std::string& bytes) {
  if (node.kind != JsonKind::object || node.count != 1) return false;
  const JsonNode& digits = json.first(node);
  return digits.name == "hex" && digits.kind == JsonKind::text && decode_hex(digits.text, bytes);
}

}  // namespace hdb
