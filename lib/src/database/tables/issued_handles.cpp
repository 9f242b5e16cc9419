// What dropped tables issued, and what was ever issued.
#include "hdb/detail/database/tables/issued_handles.hpp"

#include <utility>

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

DroppedTables::Spaces& DroppedTables::of(Scope scope) {
  Set& set = sets_[index_of(scope)];
  if (set.spaces == nullptr || set.is_shared) {
    set.spaces = set.spaces ? std::make_shared<Spaces>(*set.spaces) : std::make_shared<Spaces>();
    set.is_shared = false;
  }
  return *set.spaces;
}

Issued DroppedTables::prepare_add(Scope scope, const HandleSpace& space, const Slots& slots) {
  Issued issued;
  issued.note(slots);
  if (!issued.empty()) issued.merge(of(scope)[space]);
  return issued;
}

void DroppedTables::add(Scope scope, const HandleSpace& space, Issued issued) noexcept {
  if (issued.empty()) return;
  const auto found = sets_[index_of(scope)].spaces->find(space);  // prepare_add made it
  found->second = std::move(issued);
}

Issued DroppedTables::of(const HandleSpace& space) const {
  Issued all;
  for (const Set& set : sets_) {
    if (!set.spaces) continue;
    if (const auto found = set.spaces->find(space); found != set.spaces->end())
      all.merge(found->second);
  }
  return all;
}

void DroppedTables::add_to(DatabaseDescriptor& database) const {
  for (const auto& [scope, tag] : kSavedScopes) {
    const Set& set = sets_[index_of(scope)];
    if (!set.spaces) continue;
    std::vector<DroppedHandles> list;
    list.reserve(set.spaces->size());
    for (const auto& [space, issued] : *set.spaces) {
      if (!issued.empty()) list.push_back(issued.described(space));
    }
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
    result.sets_[index_of(scope)] = {};
    for (const DroppedHandles& each : dropped_handles_of(database, tag))
      result.of(scope)[each].merge(Issued(each));
  }
  return result;
}

DroppedTables DroppedTables::forked(const IssuedHandles& ever) const {
  DroppedTables result;
  for (const auto& [space, each] : ever.spaces_) {
    if (each.issued && !each.issued->empty()) result.of(each.scope)[space] = *each.issued;
  }
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
    if (const auto& spaces = dropped.sets_[index_of(scope)].spaces) {
      for (const auto& [space, issued] : *spaces) of(scope, space)->merge(issued);
    }
  }
}

}  // namespace hdb::detail
