// Compares what a `serialize` visits with the members and bytes of its type.
#include "hdb/detail/record/member_check.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>

namespace hdb::detail::record {
namespace {

std::string list_of(const std::vector<std::string_view>& names) {
  if (names.empty()) return "nothing";
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

// "bytes 4 to 7 and 12", and at most four ranges.
std::string ranges_of(const std::vector<bool>& bytes) {
  constexpr int kMostRanges = 4;
  std::string text;
  int ranges = 0;
  for (std::size_t begin = 0; begin < bytes.size(); ++begin) {
    if (!bytes[begin]) continue;
    std::size_t last = begin;
    while (last + 1 < bytes.size() && bytes[last + 1]) ++last;
    if (++ranges > kMostRanges) return text + ", ...";
    if (!text.empty()) text += ", ";
    text += std::to_string(begin);
    if (last != begin) text += " to " + std::to_string(last);
    begin = last;
  }
  return text;
}

}  // namespace

void VisitedParts::add_value(const void* at, std::size_t size_bytes) {
  const auto* const from = static_cast<const std::byte*>(at);
  const std::less_equal<const std::byte*> not_after;
  const bool is_inside = not_after(object_, from) && not_after(from, object_ + size_bytes_) &&
                         size_bytes <= static_cast<std::size_t>(object_ + size_bytes_ - from);
  if (!is_inside) {
    are_places_known_ = false;
    return;
  }
  parts_.push_back({static_cast<std::size_t>(from - object_), size_bytes});
}

void VisitedParts::add_bytes(const void* at, std::size_t size_bytes) {
  add_value(at, size_bytes);
  has_bytes_ = true;
}

std::optional<std::size_t> VisitedParts::count_members() const {
  if (has_bytes_) return std::nullopt;
  std::vector<std::size_t> offsets;
  for (const Part& part : parts_) offsets.push_back(part.offset);
  std::sort(offsets.begin(), offsets.end());
  return static_cast<std::size_t>(std::unique(offsets.begin(), offsets.end()) - offsets.begin());
}

std::vector<bool> VisitedParts::visited_bytes() const {
  std::vector<bool> visited(size_bytes_, false);
  for (const Part& part : parts_) {
    const auto from = visited.begin() + static_cast<std::ptrdiff_t>(part.offset);
    std::fill(from, from + static_cast<std::ptrdiff_t>(part.size_bytes), true);
  }
  return visited;
}

std::string forgotten_members(const MemberFacts& facts, const VisitedParts& visited,
                              const std::vector<std::string_view>& names,
                              const std::string& field) {
  if (!visited.are_places_known()) return {};
  std::vector<bool> forgotten = visited.visited_bytes();
  forgotten.flip();
  const bool are_bytes_known = !facts.value_bytes.empty();
  for (std::size_t i = 0; are_bytes_known && i < forgotten.size(); ++i) {
    forgotten[i] = forgotten[i] && facts.value_bytes[i];
  }
  // A member has at least one byte: without one that was not visited, nothing is forgotten.
  if (std::find(forgotten.begin(), forgotten.end(), true) == forgotten.end()) return {};
  const auto count = visited.count_members();
  const bool misses_members = facts.members && count && *count < *facts.members;
  if (!misses_members && !are_bytes_known) return {};

  std::string text = "serialize() of '" + std::string(facts.type_name) + "'";
  if (!field.empty()) text += " (field '" + field + "')";
  text += " visits ";
  if (misses_members) {
    text += std::to_string(*count) + " of " + std::to_string(*facts.members) + " members";
  } else {
    text += "not all members";
  }
  text += " (visited: " + list_of(names) + ")";
  if (are_bytes_known) {
    text += "; not visited: bytes " + ranges_of(forgotten) + " of " +
            std::to_string(visited.size_bytes());
  }
  return text +
         "; files and state hashes do not hold what is not visited. Visit the other members, or "
         "specialise hdb::LeavesOut for members that are left out on purpose";
}

std::vector<bool> bytes_left_by(void (*clear_padding)(void*), std::size_t size,
                                std::size_t alignment) {
  std::vector<bool> left(size);
  const std::align_val_t aligned{alignment};
  auto* const bytes = static_cast<std::byte*>(::operator new(size, aligned));
  std::memset(bytes, 0xff, size);
  clear_padding(bytes);
  for (std::size_t i = 0; i < size; ++i) left[i] = bytes[i] != std::byte{0};
  ::operator delete(bytes, aligned);
  return left;
}

}  // namespace hdb::detail::record
