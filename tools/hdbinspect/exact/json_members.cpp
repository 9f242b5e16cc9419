// Each member of an object is asked for once; what is left over is a fault.
#include "exact/json_members.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hdb/inspect/text.hpp"
#include "text.hpp"

namespace hdb::inspect {

Members::Members(const JsonDocument& line, const JsonNode& object) : line_(line) {
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
