// RapidJSON's reader, in place; its events become nodes.
#include "exact/json_line.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include "hdb/bytes.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// Deeper than any record: a schema is nested 32 deep at most, each of them takes two brackets at
// most.
constexpr std::size_t kMaxJsonDepth = 80;

// Makes nodes of RapidJSON's events. False stops it: `problem` says why.
class NodeMaker : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, NodeMaker> {
 public:
  explicit NodeMaker(std::vector<JsonNode>& nodes) : nodes_(nodes) { nodes_.clear(); }

  bool Null() { return add({.kind = JsonKind::null}); }
  bool Bool(bool value) { return add({.kind = JsonKind::boolean, .truth = value}); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    return add({.kind = JsonKind::number, .text = {text, size}});
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return add({.kind = JsonKind::text, .text = {text, size}});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    name_ = {text, size};
    return true;
  }
  bool StartObject() { return open(JsonKind::object); }
  bool StartArray() { return open(JsonKind::array); }
  bool EndObject(rapidjson::SizeType count) { return close(count); }
  bool EndArray(rapidjson::SizeType count) { return close(count); }
  bool Default() { return false; }

  [[nodiscard]] std::string_view problem() const { return problem_; }

 private:
  bool add(JsonNode node) {
    if (nodes_.size() >= kMaxLineValues) {
      problem_ = "it has too many values";
      return false;
    }
    node.name = name_;
    name_ = {};
    node.end = static_cast<std::uint32_t>(nodes_.size() + 1);
    nodes_.push_back(node);
    return true;
  }
  bool open(JsonKind kind) {
    if (open_.size() >= kMaxJsonDepth) {
      problem_ = "it is nested too deeply";
      return false;
    }
    open_.push_back(nodes_.size());
    return add({.kind = kind});
  }
  bool close(rapidjson::SizeType count) {
    JsonNode& node = nodes_[open_.back()];
    open_.pop_back();
    node.count = count;
    node.end = static_cast<std::uint32_t>(nodes_.size());
    return true;
  }

  std::vector<JsonNode>& nodes_;
  std::vector<std::size_t> open_;
  std::string_view name_;
  std::string_view problem_;
};

template <class Number>
bool read_whole(const JsonNode& node, Number& value) {
  if (node.kind != JsonKind::number && node.kind != JsonKind::text) return false;
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

Status JsonLine::parse(char* line, std::size_t size, std::string_view noun) {
  // RapidJSON takes a zero for the end.
  if (const auto* const zero = std::find(line, line + size, '\0'); zero != line + size) {
    return fail(ErrorCode::bad_exact_dump,
                fmt::format("there is a zero byte at byte {} of the {}", zero - line, noun));
  }
  // RapidJSON's own check of UTF-8 reads past the end of a line that ends within a character.
  if (!is_utf8({line, size}))
    return fail(ErrorCode::bad_exact_dump, fmt::format("the {} is not UTF-8", noun));
  constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
  NodeMaker maker(nodes_);
  rapidjson::Reader reader;
  rapidjson::InsituStringStream stream(line);
  const rapidjson::ParseResult parsed = reader.Parse<kFlags>(stream, maker);
  if (!parsed.IsError()) return {};
  std::string_view problem = maker.problem();
  const bool limit = !problem.empty() && nodes_.size() >= kMaxLineValues;
  if (problem.empty()) problem = rapidjson::GetParseError_En(parsed.Code());
  if (problem.ends_with('.')) problem.remove_suffix(1);
  return fail(limit ? ErrorCode::limit_exceeded : ErrorCode::bad_exact_dump,
              fmt::format("the {0} is not valid JSON: {1} (byte {2} of the {0})", noun, problem,
                          parsed.Offset()));
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

bool read_number(const JsonNode& node, std::uint64_t& value) { return read_whole(node, value); }
bool read_number(const JsonNode& node, std::int64_t& value) { return read_whole(node, value); }

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

bool read_hex(const JsonLine& line, const JsonNode& node, std::string& bytes) {
  if (node.kind != JsonKind::object || node.count != 1) return false;
  const JsonNode& digits = line.first(node);
  return digits.name == "hex" && digits.kind == JsonKind::text && decode_hex(digits.text, bytes);
}

// --- members

Members::Members(const JsonLine& line, const JsonNode& object) : line_(line) {
  if (object.kind != JsonKind::object) {
    fault(fmt::format("an object is needed, not {}", json_kind_name(object.kind)));
    return;
  }
  const JsonNode* node = &object + 1;
  for (std::uint32_t i = 0; i < object.count; ++i) {
    members_.push_back(node);
    if (i + 1 < object.count) node = &line.next(*node);
  }
  taken_.resize(members_.size());
}

bool Members::has(std::string_view name) const {
  return std::any_of(members_.begin(), members_.end(),
                     [name](const JsonNode* member) { return member->name == name; });
}

const JsonNode* Members::find(std::string_view name) {
  asked_.emplace_back(name);
  // Members mostly come in the order in which they are asked for.
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::size_t at = (next_ + i) % members_.size();
    if (taken_[at] || members_[at]->name != name) continue;
    taken_[at] = true;
    next_ = at + 1;
    return members_[at];
  }
  return nullptr;
}

const JsonNode* Members::need(std::string_view name) {
  const JsonNode* const node = find(name);
  if (node == nullptr) fault(fmt::format("the member '{}' is missing", name));
  return node;
}

std::string_view Members::text(std::string_view name) {
  const JsonNode* const node = need(name);
  if (node == nullptr) return {};
  if (node->kind == JsonKind::text && is_utf8(node->text)) return node->text;
  fault(name, node->kind == JsonKind::text
                  ? std::string("the text is not UTF-8")
                  : fmt::format("a text is needed, not {}", json_kind_name(node->kind)));
  return {};
}

bool Members::boolean(std::string_view name) {
  const JsonNode* const node = need(name);
  if (node == nullptr) return false;
  if (node->kind != JsonKind::boolean)
    fault(name, fmt::format("true or false is needed, not {}", json_kind_name(node->kind)));
  return node->truth;
}

std::uint64_t Members::number(std::string_view name, std::uint64_t most) {
  const JsonNode* const node = need(name);
  if (node == nullptr) return 0;
  std::uint64_t value = 0;
  if (read_number(*node, value) && value <= most) return value;
  fault(name, fmt::format("a whole number from 0 to {} is needed", most));
  return 0;
}

std::int64_t Members::signed_number(std::string_view name) {
  const JsonNode* const node = need(name);
  std::int64_t value = 0;
  if (node != nullptr && !read_number(*node, value)) fault(name, "a whole number is needed");
  return value;
}

std::vector<const JsonNode*> Members::elements(std::string_view name) {
  std::vector<const JsonNode*> found;
  const JsonNode* node = need(name);
  if (node == nullptr) return found;
  if (node->kind != JsonKind::array) {
    fault(name, fmt::format("an array is needed, not {}", json_kind_name(node->kind)));
    return found;
  }
  const std::uint32_t count = node->count;
  found.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    node = i == 0 ? node + 1 : &line_.next(*node);
    found.push_back(node);
  }
  return found;
}

void Members::fault(std::string what) {
  if (fault_.empty()) fault_ = std::move(what);
}

void Members::fault(std::string_view member, std::string what) {
  fault(fmt::format("'{}': {}", escape_text(member), what));
}

Status Members::finish() {
  for (std::size_t i = 0; i < members_.size() && fault_.empty(); ++i) {
    if (taken_[i]) continue;
    const std::string_view name = members_[i]->name;
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) {
      fault(fmt::format("the member '{}' is there twice", escape_text(name)));
    } else {
      fault(fmt::format("unknown member '{}'{}", escape_text(name), did_you_mean(name, asked_)));
    }
  }
  if (fault_.empty()) return {};
  return fail(ErrorCode::bad_exact_dump, fault_);
}

}  // namespace hdb::inspect
