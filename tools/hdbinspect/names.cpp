// Reading names of handles and fields.
#include "names.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "hdb/inspect/paths.hpp"
#include "hdb/translate_handle.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

template <class T>
bool take_number(std::string_view& text, T& value, int base = 10) {
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  return true;
}

tl::unexpected<Error> not_a_handle(std::string_view text) {
  return fail(
      ErrorCode::bad_name,
      fmt::format("'{}' is not a handle; handles look like monsters:1042@7 or 0x70000041a", text));
}

// Reads ":index@generation[.path]", or ":index[.path]", after the table's name.
bool take_slot_and_path(std::string_view rest, bool with_generation, Target& target) {
  if (!rest.starts_with(':')) return false;
  rest.remove_prefix(1);
  if (!take_number(rest, target.slot)) return false;
  if (with_generation) {
    if (!rest.starts_with('@')) return false;
    rest.remove_prefix(1);
    if (!take_number(rest, target.generation)) return false;
  }
  if (rest.empty()) return true;
  if (rest[0] != '.' || rest.size() == 1) return false;
  target.path = rest.substr(1);
  return true;
}

// Table names may hold colons: the longest one that fits is meant.
std::optional<Target> parse_name(const Reader& reader, std::string_view text,
                                 bool with_generation) {
  const auto& tables = reader.tables();
  std::optional<Target> found;
  std::size_t length = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    Target target;
    target.table = i;
    const std::string& name = tables[i].name;
    if (!text.starts_with(name) || (found && name.size() <= length)) continue;
    if (!take_slot_and_path(text.substr(name.size()), with_generation, target)) continue;
    found = target;
    length = name.size();
  }
  return found;
}

// "entities:1042@7.Position.x": the longest name of a component table that fits.
void find_component(const Reader& reader, Target& target) {
  const auto& tables = reader.tables();
  const TableDescriptor& owner = tables[target.table];
  if (target.path.empty() || find_field(reader.schemas()[owner.schema], target.path)) return;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string& name = tables[i].name;
    const bool fits = tables[i].owner == owner.name && target.path.starts_with(name) &&
                      (target.path.size() == name.size() || target.path[name.size()] == '.');
    if (fits && (!found || name.size() > tables[*found].name.size())) found = i;
  }
  if (!found) return;
  const std::size_t length = tables[*found].name.size();
  target.table = *found;
  target.path = target.path.size() == length ? "" : target.path.substr(length + 1);
}

Result<Target> parse_bits(const Reader& reader, std::string_view text,
                          std::optional<std::size_t> only_table) {
  std::string_view rest = text.substr(2);
  std::uint64_t bits = 0;
  if (!take_number(rest, bits, 16)) return not_a_handle(text);
  std::string path;
  if (!rest.empty()) {
    if (rest[0] != '.' || rest.size() == 1) return not_a_handle(text);
    path = rest.substr(1);
  }
  if (bits == 0)
    return fail(ErrorCode::not_found, "0x0 is the null handle, which does not name a record");
  const auto& tables = reader.tables();
  std::vector<Target> fitting;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (only_table ? *only_table != i : tables[i].policy.is_component) continue;
    const auto parts = split_handle(tables[i].policy.layout, bits);
    if (!parts || parts->generation == 0) continue;
    if (parts->type_id != tables[issuer_of(tables, i)].type_id) continue;
    if (!only_table && parts->index >= tables[i].slot_count) continue;
    fitting.push_back({i, parts->index, parts->generation, path});
  }
  if (fitting.size() > 1) {
    SlotLookup slots(reader);
    std::vector<Target> live;
    for (const Target& target : fitting) {
      const auto facts = slots.find(target.table, target.slot);
      if (!facts) return fail(facts.error());
      if (*facts && (*facts)->state == SlotState::live &&
          (*facts)->generation == target.generation) {
        live.push_back(target);
      }
    }
    if (live.size() == 1) return live.front();
    std::string names;
    for (const Target& target : fitting) {
      if (!names.empty()) names += ", ";
      names += handle_name(tables[target.table], target.slot, target.generation);
      if (!path.empty()) names += '.' + path;
    }
    return fail(ErrorCode::bad_name,
                fmt::format("'{}' fits several tables; give one of {}", text, names));
  }
  if (fitting.empty())
    return fail(ErrorCode::not_found,
                fmt::format("'{}' does not fit the handles of any table", text));
  return fitting.front();
}

}  // namespace

Result<FieldPlace> find_named_field(const Reader& reader, std::size_t table,
                                    std::string_view path) {
  const Field& root = reader.schemas()[reader.tables()[table].schema];
  auto place = find_field(root, path);
  if (place) return place;
  Error& error = place.error();
  if (error.code == ErrorCode::not_found && error.what.find("; ") == std::string::npos)
    error.what += near_field_hint(root, path);
  return fail(std::move(error).in(fmt::format("table '{}'", reader.tables()[table].name)));
}

std::size_t issuer_of(const std::vector<TableDescriptor>& tables, std::size_t table) {
  if (!tables[table].policy.is_component) return table;
  const auto owner = std::find_if(tables.begin(), tables.end(), [&](const TableDescriptor& each) {
    return each.name == tables[table].owner;
  });
  return static_cast<std::size_t>(owner - tables.begin());  // the catalog has it
}

Result<std::size_t> find_table(const std::vector<TableDescriptor>& tables, std::string_view name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].name == name) return i;
    names.push_back(tables[i].name);
  }
  std::string what = fmt::format("no table '{}'", name);
  const std::string near = did_you_mean(name, names);
  if (!near.empty() || names.size() > 12) return fail(ErrorCode::not_found, what + near);
  what += fmt::format("; the file has {}",
                      names.empty() ? "none" : fmt::format("'{}'", fmt::join(names, "', '")));
  return fail(ErrorCode::not_found, std::move(what));
}

Result<std::vector<std::size_t>> find_tables(const std::vector<TableDescriptor>& tables,
                                             const std::vector<std::string>& patterns) {
  std::vector<std::size_t> found;
  const auto add = [&](std::size_t table) {
    if (std::find(found.begin(), found.end(), table) == found.end()) found.push_back(table);
  };
  for (std::size_t i = 0; patterns.empty() && i < tables.size(); ++i) add(i);
  for (const std::string& pattern : patterns) {
    auto exact = find_table(tables, pattern);
    if (exact) {
      add(*exact);
      continue;
    }
    const auto glob = Glob::of_name(pattern);
    if (!glob) return fail(glob.error());
    bool any = false;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (!glob->matches(tables[i].name)) continue;
      add(i);
      any = true;
    }
    if (!any) return fail(std::move(exact.error()));
  }
  return found;
}

std::vector<std::string> distinct(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

Result<Target> parse_target(const Reader& reader, std::string_view text,
                            std::optional<std::size_t> only_table) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    auto found = parse_bits(reader, text, only_table);
    if (found) find_component(reader, *found);
    return found;
  }
  const auto& tables = reader.tables();
  if (auto found = parse_name(reader, text, true)) {
    if (found->generation == 0) {  // means any in a Target
      return fail(
          ErrorCode::bad_name,
          fmt::format("'{}' does not name a record: generations start at 1; write {}:{} for "
                      "whichever record is in the slot",
                      text, tables[found->table].name, found->slot));
    }
    find_component(reader, *found);
    return *std::move(found);
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return not_a_handle(text);
  auto table = find_table(tables, text.substr(0, colon));
  if (!table) return fail(std::move(table.error()));
  return not_a_handle(text);
}

std::optional<Target> parse_slot(const Reader& reader, std::string_view text) {
  auto found = parse_name(reader, text, false);
  if (found) find_component(reader, *found);
  return found;
}

Status check_live(const TableDescriptor& table, const std::optional<SlotFacts>& facts,
                  std::uint32_t slot, std::uint32_t generation, std::string* tenant) {
  const bool is_live = facts && facts->state == SlotState::live;
  if (is_live && (generation == 0 || facts->generation == generation)) return {};
  const std::string name = generation != 0 ? handle_name(table, slot, generation)
                                           : fmt::format("{}:{}", table.name, slot);
  std::string why;
  if (!facts) {
    why = fmt::format("the table has only {}", count_text(table.slot_count, "slot"));
  } else if (is_live) {
    const std::string other = handle_name(table, slot, facts->generation);
    why = fmt::format("the handle is stale; slot {} holds another record now: {}", slot, other);
    if (tenant != nullptr) *tenant = other;
  } else if (facts->state != SlotState::retired && table.policy.is_component) {
    why = fmt::format("slot {} of '{}' has no such component", slot, table.owner);
  } else {
    why = generation != 0 ? "the handle is stale; " : "";
    if (facts->state == SlotState::retired) {
      why += fmt::format("slot {} is retired", slot);
    } else if (facts->state == SlotState::unissued) {
      why += fmt::format("slot {} was never used", slot);
    } else {
      why += fmt::format("slot {} is free; its last record had generation {}", slot,
                         facts->generation);
    }
  }
  return fail(ErrorCode::not_found, fmt::format("{}: {}", name, why));
}

}  // namespace hdb::inspect
