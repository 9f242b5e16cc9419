// Numbers, strings, names and signs of filter expressions.
#include "inspect/query/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "hdb/inspect/text.hpp"

namespace hdb::query {
namespace {

constexpr std::array<std::string_view, 11> kKeywords{"or",   "and",   "not", "in",  "is",  "null",
                                                     "true", "false", "nan", "inf", "size"};
constexpr std::array<std::string_view, 12> kSigns{"==", "!=", "<=", ">=", "<", ">",
                                                  "~*", "~",  "(",  ")",  "{", "}"};

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<unsigned, 4> kLead{0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(kLead[more] | code >> (6 * more));
  for (unsigned i = more; i-- > 0;) out += static_cast<char>(0x80U | (code >> (6 * i) & 0x3fU));
}

}  // namespace

tl::unexpected<Error> bad_expression(std::size_t column, std::string what) {
  return fail(ErrorCode::bad_name, std::move(what), {}, column);
}

bool is_name_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '#' ||
         c == '@' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

bool needs_quotes(std::string_view name) {
  return name.empty() || is_digit(name[0]) || name == "@slot" || name == "@gen" ||
         !std::all_of(name.begin(), name.end(), is_name_byte) ||
         std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
}

Result<Token> Lexer::next() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  Token token;
  token.column = at_;
  if (at_ == text_.size()) return token;
  const char c = text_[at_];
  Status read;
  if (c == '\'' || c == '"') {
    token.kind = Token::Kind::text;
    read = read_quoted(token.text);
  } else if (is_digit(c) || c == '-' || c == '+' || (c == '.' && is_digit(peek(1)))) {
    token.kind = Token::Kind::number;
    read = read_number(token);
  } else if (c == '`' || is_name_byte(c)) {
    read = read_field(token);
  } else {
    token.kind = Token::Kind::sign;
    token.text = c == ',' ? "," : "";
    for (const std::string_view sign : kSigns) {
      if (token.text.empty() && text_.substr(at_).starts_with(sign)) token.text = sign;
    }
    if (c == '=' && token.text.empty())
      return bad_expression(at_, "'=' is not an operator; write '==' for equal");
    if ((c == '&' || c == '|' || c == '!') && token.text.empty())
      return bad_expression(at_, "write 'and', 'or' and 'not' to join conditions");
    if (token.text.empty()) {
      std::size_t end = at_;
      std::uint32_t code = 0;
      static_cast<void>(take_code_point(text_, end, code));
      return bad_expression(
          at_, "'" + std::string(text_.substr(at_, end - at_)) + "' means nothing in a filter");
    }
    at_ += token.text.size();
  }
  if (!read) return fail(std::move(read.error()));
  return token;
}

template <class T>
bool Lexer::take_digits(T& value) {
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc{}) return false;
  at_ = static_cast<std::size_t>(end - text_.data());
  return true;
}

Status Lexer::read_number(Token& token) {
  const std::size_t begin = at_;
  FilterNumber& number = token.number;
  const bool negative = text_[at_] == '-';
  if (negative || text_[at_] == '+') ++at_;
  const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
  if (hexadecimal) at_ += 2;
  std::size_t end = at_;
  // A sign is part of a number only after an exponent.
  while (end < text_.size() && (is_name_byte(text_[end]) || text_[end] == '.' ||
                                ((text_[end] == '-' || text_[end] == '+') && !hexadecimal &&
                                 end > at_ && (text_[end - 1] == 'e' || text_[end - 1] == 'E')))) {
    ++end;
  }
  const std::string_view digits = text_.substr(at_, end - at_);
  const auto wrong = [&](std::string_view why) {
    return bad_expression(
        begin, "'" + std::string(text_.substr(begin, end - begin)) + "' " + std::string(why));
  };
  const char* const last = digits.data() + digits.size();
  number.is_integer = hexadecimal || digits.find_first_not_of("0123456789") == std::string::npos;
  at_ = end;
  if (digits.empty()) return wrong("is not a number");
  if (number.is_integer) {
    const auto [at, error] =
        std::from_chars(digits.data(), last, number.magnitude, hexadecimal ? 16 : 10);
    if (error == std::errc::result_out_of_range) return wrong("does not fit 64 bits");
    if (error != std::errc{} || at != last) return wrong("is not a number");
    number.negative = negative && number.magnitude != 0;
    return {};
  }
  if (digits == "inf" || digits == "nan") {
    number.real = digits == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                  : std::numeric_limits<double>::infinity();
  } else {
    if (!is_digit(digits[0]) && digits[0] != '.') return wrong("is not a number");
    const auto [at, error] = parse_double(digits, number.real);
    if (error == std::errc::result_out_of_range) return wrong("does not fit a double");
    if (error != std::errc{} || at != last) return wrong("is not a number");
  }
  if (negative && digits != "nan") number.real = -number.real;
  return {};
}

Status Lexer::read_field(Token& token) {
  const bool quoted = text_[at_] == '`';
  token.path.emplace_back();
  if (auto read = read_name(token.path.back().name); !read) return read;
  const std::string first = token.path.back().name;
  if (peek() == ':') return read_handle(token);
  if (!quoted && std::find(kKeywords.begin(), kKeywords.end(), first) != kKeywords.end()) {
    token.kind = Token::Kind::word;
    token.text = first;
    token.path.clear();
    if (first != "nan" && first != "inf") return {};
    token.kind = Token::Kind::number;
    token.number.is_integer = false;
    token.number.real = first == "nan" ? std::numeric_limits<double>::quiet_NaN()
                                       : std::numeric_limits<double>::infinity();
    return {};
  }
  token.kind = Token::Kind::field;
  for (;;) {
    if (peek() == '.') {
      ++at_;
      token.path.emplace_back();
      if (auto read = read_name(token.path.back().name); !read) return read;
    } else if (peek() == '[') {
      if (auto read = read_bracket(token.path); !read) return read;
    } else if (peek() == '<' && is_alternative()) {
      ++at_;
      token.path.push_back({FieldStep::Kind::alternative});
      if (!take_digits(token.path.back().number))
        return bad_expression(at_, "the number of the alternative does not fit 64 bits");
      ++at_;
    } else if (peek() == '?') {
      ++at_;
      token.path.push_back({FieldStep::Kind::optional_value});
    } else {
      break;
    }
  }
  const std::string_view name = text_.substr(token.column, at_ - token.column);
  if (peek() == ':' && name.find_first_of("`[<?") == std::string_view::npos) {
    return bad_expression(
        token.column, "the table of a handle needs backquotes: `" + std::string(name) + "`:77@2");
  }
  if (!quoted && token.path.size() == 1 && (first == "@slot" || first == "@gen")) {
    token.kind = Token::Kind::word;
    token.text = first;
    token.path.clear();
  }
  return {};
}

Status Lexer::read_name(std::string& name) {
  if (peek() == '`') return read_quoted(name);
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_name_byte(text_[at_])) ++at_;
  name = text_.substr(begin, at_ - begin);
  if (name.empty()) return bad_expression(at_, "the name of a field is missing");
  return {};
}

Result<FieldStep> Lexer::take_bracket(std::string_view& text) {
  Lexer lexer(text);
  std::vector<FieldStep> path;
  if (lexer.peek() != '[') return bad_expression(0, "a [ is expected here");
  if (auto read = lexer.read_bracket(path); !read) return fail(std::move(read.error()));
  text.remove_prefix(lexer.at_);
  return std::move(path.front());
}

// "[3]", "[*]", "[]" or "['sword']".
Status Lexer::read_bracket(std::vector<FieldStep>& path) {
  ++at_;
  FieldStep step{FieldStep::Kind::any_element};
  if (is_digit(peek())) {
    step.kind = FieldStep::Kind::element;
    if (!take_digits(step.number))
      return bad_expression(at_, "the number of the element does not fit 64 bits");
  } else if (peek() == '\'' || peek() == '"') {
    step.kind = FieldStep::Kind::key;
    if (auto read = read_quoted(step.name); !read) return read;
  } else if (peek() == '*') {
    ++at_;
  }
  if (peek() != ']') {
    return bad_expression(at_,
                          "write [3] for one element, [*] for any or ['sword'] for a key of a map; "
                          "a ']' is missing");
  }
  ++at_;
  path.push_back(std::move(step));
  return {};
}

// "tag<2>", not "hp<2".
bool Lexer::is_alternative() const {
  std::size_t ahead = 1;
  while (is_digit(peek(ahead))) ++ahead;
  return ahead > 1 && peek(ahead) == '>';
}

Status Lexer::read_handle(Token& token) {
  token.kind = Token::Kind::handle;
  token.text = token.path.front().name;
  token.path.clear();
  ++at_;
  if (!take_digits(token.slot) || peek() != '@')
    return bad_expression(token.column, "handles look like monsters:77@2");
  ++at_;
  if (!take_digits(token.generation) || is_name_byte(peek()))
    return bad_expression(token.column, "handles look like monsters:77@2");
  return {};
}

Status Lexer::read_quoted(std::string& out) {
  const char quote = text_[at_];
  const std::size_t begin = at_++;
  while (at_ < text_.size() && text_[at_] != quote) {
    if (text_[at_] == '\\') {
      if (auto read = read_escape(out); !read) return read;
    } else {
      out += text_[at_++];
    }
  }
  if (at_ == text_.size())
    return bad_expression(begin, std::string("a ") + quote + " is not closed");
  ++at_;
  return {};
}

Status Lexer::read_escape(std::string& out) {
  constexpr std::string_view kLetters = "ntr0\\'\"`";
  constexpr std::string_view kBytes{"\n\t\r\0\\'\"`", 8};
  const std::size_t begin = at_++;
  const char letter = peek();
  const auto wrong = [&] {
    return bad_expression(begin, "escapes are \\n \\t \\r \\0 \\\\ \\' \\\" \\` \\xHH \\u{H...}");
  };
  if (at_ == text_.size()) return wrong();
  ++at_;
  if (const std::size_t found = kLetters.find(letter); found != std::string_view::npos) {
    out += kBytes[found];
    return {};
  }
  std::size_t end = at_ + 2;
  if (letter == 'u' && peek() == '{') {
    end = text_.find('}', ++at_);
  } else if (letter != 'x') {
    return wrong();
  }
  if (end == std::string_view::npos || end > text_.size() || end == at_) return wrong();
  std::uint32_t code = 0;
  const auto [at, error] = std::from_chars(text_.data() + at_, text_.data() + end, code, 16);
  if (error != std::errc{} || at != text_.data() + end) return wrong();
  at_ = end;
  if (letter == 'x') {
    out += static_cast<char>(static_cast<unsigned char>(code));
    return {};
  }
  ++at_;
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return bad_expression(begin, "\\u{...} is not a code point");
  append_utf8(out, code);
  return {};
}

}  // namespace hdb::query
