// Counts a byte for each part of a value, which its text needs at least.
#include "inspect/values/cut_value.hpp"

#include <algorithm>

#include "hdb/bytes.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

// Takes what the value needs at least from `room`; false if there is not enough.
bool takes(const Value& value, std::uint64_t& room) noexcept {
  const std::uint64_t own = value.is_packed()
                                ? value.bytes.size() / fixed_width(value.field->children.front())
                                : value.bytes.size();
  if (own >= room) return false;
  room -= own + 1;
  return std::all_of(value.children.begin(), value.children.end(),
                     [&](const Value& child) { return takes(child, room); });
}

// Fills `out` with as much of a value as there is room for; false if something is left out.
bool fill(const Value& value, std::uint64_t& room, Value& out) {
  out.field = value.field;
  out.bits = value.bits;
  const std::size_t width = value.is_packed() ? fixed_width(value.field->children.front()) : 1;
  auto size = static_cast<std::size_t>(std::min<std::uint64_t>(value.bytes.size() / width, room));
  if (std::string_view text = value.text(); value.field->kind == FieldKind::string)
    size = take_piece(text, size).size();
  out.bytes = value.bytes.first(size * width);
  room -= std::min<std::uint64_t>(room, size + 1);
  if (out.bytes.size() != value.bytes.size()) return false;
  for (const Value& child : value.children) {
    if (room == 0) return false;
    if (!fill(child, room, out.children.emplace_back())) return false;
  }
  return true;
}

void add(const Value& value, Hasher128& hasher) {
  std::byte head[16];
  store_le(head, value.bits);
  store_le(head + 8, std::uint64_t{value.bytes.size()});
  hasher.update(head);
  hasher.update(value.bytes);
  for (const Value& child : value.children) add(child, hasher);
}

}  // namespace

bool is_cut(const Value& value, std::uint64_t max_bytes) noexcept {
  return max_bytes != kWholeValues && !takes(value, max_bytes);
}

Value begin_of(const Value& value, std::uint64_t max_bytes) {
  Value begin;
  static_cast<void>(fill(value, max_bytes, begin));
  // A key without its value.
  if (begin.field->kind == FieldKind::map && begin.children.size() % 2 != 0)
    begin.children.pop_back();
  return begin;
}

std::string cut_note(const Value& value) {
  const FieldKind kind = value.field->kind;
  const bool is_text = kind == FieldKind::string || kind == FieldKind::opaque;
  const bool has_elements = kind == FieldKind::list || kind == FieldKind::array;
  std::string size;
  if (is_text) size = std::to_string(value.bytes.size()) + " bytes, ";
  if (has_elements) size = std::to_string(value.bits) + " elements, ";
  if (kind == FieldKind::map) size = std::to_string(value.bits) + " pairs, ";
  Hasher128 hasher;
  add(value, hasher);
  return " ... " + size + "hash " + hex_number(hasher.digest().low, 16);
}

}  // namespace hdb
