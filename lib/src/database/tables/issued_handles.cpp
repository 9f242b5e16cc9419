// What dropped tables issued, and what was ever issued.
#include "database/tables/issued_handles.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "hdb/inspect/constants.hpp"

namespace hdb::detail {
namespace {

// The extension of the catalog that has what dropped tables of a scope issued.
struct SavedScope {
  Scope scope;
  std::uint8_t tag;
};
constexpr std::array kSavedScopes{
    SavedScope{Scope::full, format::kExtensionDroppedHandles},
    SavedScope{Scope::unhashed, format::kExtensionUnhashedDroppedHandles},
};

std::size_t index_of(Scope scope) noexcept { return static_cast<std::size_t>(scope); }

}  // namespace

// A name of the longest is cut, and then shared by tables that begin alike.
HandleSpace space_of_table(const std::string& name, const HandleLayout& layout,
                           std::uint16_t type_id) {
  if (layout.type_bits != 0) return {type_id, layout, {}};
  std::string marked = format::kTableNameMark + name;
  if (std::size_t end = format::kMaxNameBytes; marked.size() > end) {
    while ((static_cast<unsigned char>(marked[end]) & 0xc0) == 0x80) --end;
    marked.resize(end);
  }
  return {0, layout, std::move(marked)};
}

Result<Issued> issued_by(const TableDescriptor& table,
                         const std::function<Status(std::uint64_t group, RowGroup& out)>& read) {
  const TablePolicy& policy = table.policy;
  if (policy.is_component || policy.overflow == Overflow::wrap) return Issued();
  DroppedHandles issued{{}, table.highest_generation, table.highest_generation, {}};
  if (issued.highest <= policy.layout.max_generation() / 2) return Issued(issued);
  issued.floor = 0;
  RowGroup rows;
  for (std::uint64_t group = 0; group < table.group_count(); ++group) {
    if (auto done = read(group, rows); !done) return fail(std::move(done.error()));
    for (std::size_t i = 0; i < rows.states.size(); ++i) {
      if (const std::uint32_t last = rows.generations[i]; last != 0)
        issued.slots.emplace_back(static_cast<std::uint32_t>(rows.first_slot + i), last);
    }
  }
  // Without any, the highest generation is one of a table that was dropped before.
  return issued.slots.empty() ? Issued() : Issued(issued);
}

DroppedTables DroppedTables::with(Scope scope, const HandleSpace& space, const Slots& slots) const {
  Issued issued;
  issued.note(slots);
  return with(scope, space, std::move(issued));
}

DroppedTables DroppedTables::with(Scope scope, const HandleSpace& space, Issued issued) const {
  DroppedTables result = *this;
  if (issued.empty()) return result;
  IssuedSpaces& set = result.sets_[index_of(scope)];
  if (const Issued* const before = set.find(space)) issued.merge(*before);
  set = set.with({space, std::move(issued)});
  return result;
}

Issued DroppedTables::of(const HandleSpace& space, const std::string& table) const {
  const HandleSpace by_name = space_of_table(table, space.layout, space.type_id);
  Issued all;
  for (const IssuedSpaces& set : sets_) {
    if (const Issued* const found = set.find(space)) all.merge(*found);
    if (const Issued* const found = set.find(by_name)) all.merge(*found);
  }
  return all;
}

void DroppedTables::add_to(DatabaseDescriptor& database) const {
  for (const auto& [scope, tag] : kSavedScopes) {
    const IssuedSpaces& set = sets_[index_of(scope)];
    if (set.empty()) continue;
    std::vector<DroppedHandles> list;
    set.for_each([&list = list](const IssuedSpaces::Entry& entry) {
      list.push_back(entry.issued.described(entry.space));
    });
    add_dropped_handles(database, tag, list);
  }
}

DroppedTables DroppedTables::restored(const DroppedTables& captured) const noexcept {
  DroppedTables result = captured;
  const std::size_t kept = index_of(Scope::uncaptured);
  result.sets_[kept] = sets_[kept];
  return result;
}

DroppedTables DroppedTables::loaded(
    const DatabaseDescriptor& database,
    const std::map<std::string, std::string, std::less<>>& renamed) const {
  DroppedTables result = *this;
  for (const auto& [scope, tag] : kSavedScopes) {
    std::vector<IssuedSpaces::Entry> entries;
    std::vector<IssuedSpaces::Entry> others;
    for (const DroppedHandles& each : dropped_handles_of(database, tag)) {
      const auto rename = std::find_if(renamed.begin(), renamed.end(), [&](const auto& names) {
        return each.type_name == space_of_table(names.first, each.layout, 0).type_name &&
               each.layout.type_bits == 0;
      });
      if (rename == renamed.end()) {
        entries.push_back({each, Issued(each)});
      } else {
        others.push_back({space_of_table(rename->second, each.layout, 0), Issued(each)});
      }
    }
    result.sets_[index_of(scope)] = IssuedSpaces(std::move(entries));
    for (IssuedSpaces::Entry& entry : others)
      result = result.with(scope, entry.space, std::move(entry.issued));
  }
  return result;
}

DroppedTables DroppedTables::forked(const IssuedHandles& ever) const {
  std::array<std::vector<IssuedSpaces::Entry>, 4> entries;
  for (const auto& [space, each] : ever.spaces_) {
    if (each.issued && !each.issued->empty())
      entries[index_of(each.scope)].push_back({space, *each.issued});
  }
  DroppedTables result;
  for (std::size_t i = 0; i < entries.size(); ++i)
    result.sets_[i] = IssuedSpaces(std::move(entries[i]));
  // What stays when a restore or load takes the rest away: a wider table of the same space must not
  // take it along.
  for (const Scope scope : {Scope::unsaved, Scope::uncaptured}) {
    IssuedSpaces& narrow = result.sets_[index_of(scope)];
    sets_[index_of(scope)].for_each([&narrow](const IssuedSpaces::Entry& entry) {
      if (narrow.find(entry.space) == nullptr) narrow = narrow.with(entry);
    });
  }
  return result;
}

std::shared_ptr<Issued> IssuedHandles::of(Scope scope, HandleSpace space) {
  Space& found = spaces_.try_emplace(std::move(space), Space{nullptr, scope}).first->second;
  if (!found.issued) found.issued = std::make_shared<Issued>();  // or memory ended here before
  found.scope = std::min(found.scope, scope);
  return found.issued;
}

Issued IssuedHandles::of(const HandleSpace& space, const std::string& table) const {
  Issued all;
  for (const HandleSpace& each : {space, space_of_table(table, space.layout, space.type_id)}) {
    const auto found = spaces_.find(each);
    if (found != spaces_.end() && found->second.issued) all.merge(*found->second.issued);
  }
  return all;
}

void IssuedHandles::note(const DroppedTables& dropped) {
  for (const auto& [scope, tag] : kSavedScopes) {
    dropped.sets_[index_of(scope)].for_each(
        [this, scope = scope](const IssuedSpaces::Entry& entry) {
          of(scope, entry.space)->merge(entry.issued);
        });
  }
}

}  // namespace hdb::detail
