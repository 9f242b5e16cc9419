// What dropped tables issued, and what was ever issued.
#include "hdb/detail/database/tables/issued_handles.hpp"

#include <utility>

namespace hdb::detail {
namespace {

// Which of the sets of DroppedTables a table of this scope belongs to.
std::size_t set_of(Scope scope) noexcept {
  switch (scope) {
    case Scope::full:
    case Scope::unhashed: return 0;
    case Scope::unsaved: return 1;
    case Scope::uncaptured: return 2;
  }
  return 0;
}

}  // namespace

void DroppedTables::add(Scope scope, HandleSpace space, const Slots& slots) {
  Issued issued;
  issued.note(slots);
  if (issued.empty()) return;
  auto& spaces = spaces_[set_of(scope)];
  if (!spaces) spaces = std::make_shared<Spaces>();
  if (spaces.use_count() > 1) spaces = std::make_shared<Spaces>(*spaces);  // a snapshot has it, too
  (*spaces)[space].merge(issued);
}

Issued DroppedTables::of(HandleSpace space) const {
  Issued all;
  for (const auto& spaces : spaces_) {
    if (!spaces) continue;
    if (const auto found = spaces->find(space); found != spaces->end()) all.merge(found->second);
  }
  return all;
}

DroppedTables DroppedTables::restored(const DroppedTables& captured) const noexcept {
  DroppedTables result = captured;
  result.spaces_[2] = spaces_[2];
  return result;
}

DroppedTables DroppedTables::loaded() const noexcept {
  DroppedTables result = *this;
  result.spaces_[0].reset();
  return result;
}

DroppedTables DroppedTables::forked(const IssuedHandles& ever) const {
  auto all = std::make_shared<Spaces>();
  for (const auto& [space, issued] : ever.all()) all->emplace_hint(all->end(), space, *issued);
  DroppedTables result = *this;
  result.spaces_[0] = std::move(all);
  return result;
}

std::shared_ptr<Issued> IssuedHandles::of(HandleSpace space) {
  auto& issued = spaces_[space];
  if (!issued) issued = std::make_shared<Issued>();
  return issued;
}

}  // namespace hdb::detail
