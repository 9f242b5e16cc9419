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
  auto& spaces = spaces_[index_of(scope)];
  if (!spaces) spaces = std::make_shared<Spaces>();
  if (spaces.use_count() > 1) spaces = std::make_shared<Spaces>(*spaces);  // a snapshot has it, too
  return *spaces;
}

void DroppedTables::add(Scope scope, const HandleSpace& space, const Slots& slots) {
  Issued issued;
  issued.note(slots);
  if (!issued.empty()) of(scope)[space].merge(issued);
}

Issued DroppedTables::of(const HandleSpace& space) const {
  Issued all;
  for (const auto& spaces : spaces_) {
    if (!spaces) continue;
    if (const auto found = spaces->find(space); found != spaces->end()) all.merge(found->second);
  }
  return all;
}

void DroppedTables::add_to(DatabaseDescriptor& database) const {
  for (const auto& [scope, tag] : kSavedScopes) {
    const auto& spaces = spaces_[index_of(scope)];
    if (!spaces) continue;
    std::vector<DroppedHandles> list;
    list.reserve(spaces->size());
    for (const auto& [space, issued] : *spaces) list.push_back(issued.described(space));
    add_dropped_handles(database, tag, list);
  }
}

DroppedTables DroppedTables::restored(const DroppedTables& captured) const noexcept {
  DroppedTables result = captured;
  const std::size_t kept = index_of(Scope::uncaptured);
  result.spaces_[kept] = spaces_[kept];
  return result;
}

DroppedTables DroppedTables::loaded(const DatabaseDescriptor& database) const {
  DroppedTables result = *this;
  for (const auto& [scope, tag] : kSavedScopes) {
    result.spaces_[index_of(scope)].reset();
    for (const DroppedHandles& each : dropped_handles_of(database, tag))
      result.of(scope)[each].merge(Issued(each));
  }
  return result;
}

DroppedTables DroppedTables::forked(const IssuedHandles& ever) const {
  DroppedTables result = *this;
  for (auto& spaces : result.spaces_) spaces.reset();
  for (const auto& [space, each] : ever.spaces_) {
    if (!each.issued->empty()) result.of(each.scope)[space] = *each.issued;
  }
  return result;
}

std::shared_ptr<Issued> IssuedHandles::of(Scope scope, HandleSpace space) {
  const auto [at, is_new] = spaces_.try_emplace(std::move(space), Space{nullptr, scope});
  Space& found = at->second;
  if (is_new) found.issued = std::make_shared<Issued>();
  found.scope = std::min(found.scope, scope);
  return found.issued;
}

void IssuedHandles::note(const DroppedTables& dropped) {
  for (const auto& [scope, tag] : kSavedScopes) {
    if (const auto& spaces = dropped.spaces_[index_of(scope)]) {
      for (const auto& [space, issued] : *spaces) of(scope, space)->merge(issued);
    }
  }
}

}  // namespace hdb::detail
