// What dropped tables issued, and what was ever issued.
#include "database/tables/issued_handles.hpp"

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

DroppedTables DroppedTables::with(Scope scope, const HandleSpace& space, const Slots& slots) const {
  DroppedTables result = *this;
  Issued issued;
  issued.note(slots);
  if (issued.empty()) return result;
  IssuedSpaces& set = result.sets_[index_of(scope)];
  if (const Issued* const before = set.find(space)) issued.merge(*before);
  set = set.with({space, std::move(issued)});
  return result;
}

Issued DroppedTables::of(const HandleSpace& space) const {
  Issued all;
  for (const IssuedSpaces& set : sets_) {
    if (const Issued* const found = set.find(space)) all.merge(*found);
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

DroppedTables DroppedTables::loaded(const DatabaseDescriptor& database) const {
  DroppedTables result = *this;
  for (const auto& [scope, tag] : kSavedScopes) {
    std::vector<IssuedSpaces::Entry> entries;
    for (const DroppedHandles& each : dropped_handles_of(database, tag))
      entries.push_back({each, Issued(each)});
    result.sets_[index_of(scope)] = IssuedSpaces(std::move(entries));
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
  return result;
}

std::shared_ptr<Issued> IssuedHandles::of(Scope scope, HandleSpace space) {
  Space& found = spaces_.try_emplace(std::move(space), Space{nullptr, scope}).first->second;
  if (!found.issued) found.issued = std::make_shared<Issued>();  // or memory ended here before
  found.scope = std::min(found.scope, scope);
  return found.issued;
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
