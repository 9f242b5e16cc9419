// Finds the program's number for each number that a file names.
#include "evolve/enum_map.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "evolve/numbers.hpp"

namespace hdb::detail::evolve {
namespace {

std::string with_number(const std::string& name, std::uint64_t bits, FieldKind integer) {
  return "'" + name + "' (" + enumerator_number(bits, integer) + ")";
}

}  // namespace

EnumMap::EnumMap(const NamedNumbers& stored, const NamedNumbers& own,
                 std::span<const Rename> renames)
    : stored_integer_(stored.integer),
      own_integer_(own.integer),
      own_by_bits_(own.enumerators.begin(), own.enumerators.end()) {
  std::map<std::string_view, std::uint64_t> own_by_name;
  for (const Enumerator& each : own.enumerators) own_by_name.emplace(each.name, each.bits);
  std::sort(own_by_bits_.begin(), own_by_bits_.end(),
            [](const auto& a, const auto& b) { return a.bits < b.bits; });
  std::vector<std::uint64_t> named;  // numbers of the file, as the program's bits
  for (const Enumerator& each : stored.enumerators) {
    Entry& entry = entries_.emplace_back();
    entry.stored = each.bits;
    entry.name = each.name;
    const auto same = convert_number(each.bits, stored_integer_, own_integer_);
    if (same) named.push_back(*same);
    auto found = own_by_name.find(each.name);
    for (std::size_t i = 0; i < renames.size() && found == own_by_name.end(); ++i) {
      if (each.name != renames[i].old_name) continue;
      found = own_by_name.find(renames[i].new_name);
      if (found != own_by_name.end())
        renamed.push_back("'" + each.name + "' -> '" + renames[i].new_name + "'");
    }
    if (found == own_by_name.end()) {
      removed.push_back(with_number(each.name, each.bits, stored_integer_));
      continue;
    }
    entry.own = found->second;
    if (same != found->second) {
      renumbered.push_back("'" + each.name + "' " + enumerator_number(each.bits, stored_integer_) +
                           " -> " + enumerator_number(found->second, own_integer_));
    }
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const auto& a, const auto& b) { return a.stored < b.stored; });
  std::sort(named.begin(), named.end());
  for (const Enumerator& each : own.enumerators) {
    if (!std::binary_search(named.begin(), named.end(), each.bits))
      added.push_back(with_number(each.name, each.bits, own_integer_));
  }
}

const EnumMap::Entry* EnumMap::find(std::uint64_t bits) const noexcept {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), bits,
      [](const Entry& entry, std::uint64_t wanted) { return entry.stored < wanted; });
  return found == entries_.end() || found->stored != bits ? nullptr : &*found;
}

const Enumerator* EnumMap::own_named(std::uint64_t bits) const noexcept {
  const auto found = std::lower_bound(
      own_by_bits_.begin(), own_by_bits_.end(), bits,
      [](const Enumerator& each, std::uint64_t wanted) { return each.bits < wanted; });
  return found == own_by_bits_.end() || found->bits != bits ? nullptr : &*found;
}

std::optional<std::uint64_t> EnumMap::convert(std::uint64_t bits) const noexcept {
  if (const Entry* const entry = find(bits)) return entry->own;
  const auto same = convert_number(bits, stored_integer_, own_integer_);
  if (same && own_named(*same) != nullptr) return std::nullopt;
  return same;
}

bool EnumMap::merges() const noexcept {
  for (auto each = entries_.begin(); each != entries_.end(); ++each) {
    for (auto other = std::next(each); other != entries_.end(); ++other) {
      if (each->own && each->own == other->own) return true;
    }
  }
  return false;
}

bool EnumMap::is_unknown(std::uint64_t bits) const noexcept {
  return find(bits) != nullptr || convert_number(bits, stored_integer_, own_integer_).has_value();
}

bool EnumMap::is_renumbered(std::uint64_t bits, std::uint64_t own) const noexcept {
  return convert_number(bits, stored_integer_, own_integer_) != own;
}

Error EnumMap::error(std::uint64_t bits) const {
  const std::string number = enumerator_number(bits, stored_integer_);
  if (const Entry* const entry = find(bits)) {
    return {ErrorCode::value_out_of_range,
            "the file's value " + number + " is '" + entry->name +
                "', a name that the program's enum does not have; name it in hdb::EnumNames, "
                "declare it as an old name with hdb::Renames of the enum, or say what to do with "
                "such values (LoadOptions::unknown_values)"};
  }
  const auto same = convert_number(bits, stored_integer_, own_integer_);
  if (!same) return conversion_error(bits, stored_integer_, own_integer_);
  return {ErrorCode::value_out_of_range,
          "the file's value " + number + " has no name in the file, but it is '" +
              own_named(*same)->name +
              "' in the program; give that enumerator a number that old files do not hold, or "
              "convert the value in a migration"};
}

std::string some_of(const std::vector<std::string>& texts) {
  constexpr std::size_t kMost = 4;
  std::string text;
  for (std::size_t i = 0; i < texts.size() && i < kMost; ++i)
    text += (text.empty() ? "" : ", ") + texts[i];
  if (texts.size() > kMost) text += " and " + std::to_string(texts.size() - kMost) + " more";
  return text;
}

}  // namespace hdb::detail::evolve
