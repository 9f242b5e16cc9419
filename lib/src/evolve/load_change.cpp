// A change of a field or an option as text.
#include "hdb/load_change.hpp"

namespace hdb {

std::string to_text(const LoadChange& change) {
  std::string text = change.field.empty() ? "record" : change.field;
  switch (change.kind) {
    case LoadChange::Kind::defaulted: text += " defaulted"; break;
    case LoadChange::Kind::dropped: text += " dropped"; break;
    case LoadChange::Kind::converted:
      text += " converted from " + change.from + " to " + change.to;
      break;
    case LoadChange::Kind::renamed: text += " renamed from " + change.from; break;
    case LoadChange::Kind::renumbered: text += " renumbered"; break;
    case LoadChange::Kind::kept: text += " kept"; break;
    case LoadChange::Kind::cleared: text += " cleared"; break;
    case LoadChange::Kind::merged: text += " merged"; break;
    case LoadChange::Kind::unknown: text += " unknown"; break;
    case LoadChange::Kind::unmigrated:
      text += " not migrated from version " + change.from + " to " + change.to;
      break;
  }
  return text + " (x" + std::to_string(change.count) + ")";
}

std::string to_text(const PolicyChange& change) {
  const char* name = "";
  switch (change.kind) {
    case PolicyChange::Kind::layout: name = "handles"; break;
    case PolicyChange::Kind::storage: name = "storage"; break;
    case PolicyChange::Kind::free_list: name = "free list"; break;
    case PolicyChange::Kind::generations: name = "generations"; break;
    case PolicyChange::Kind::overflow: name = "overflow"; break;
    case PolicyChange::Kind::names: name = "names"; break;
    case PolicyChange::Kind::removal: name = "removal"; break;
  }
  return std::string(name) + ' ' + change.from + " -> " + change.to;
}

}  // namespace hdb
