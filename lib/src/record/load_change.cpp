// A field change as text.
#include "hdb/load_change.hpp"

namespace hdb {

std::string to_text(const LoadChange& change) {
  std::string text = change.field;
  switch (change.kind) {
    case LoadChange::Kind::defaulted: text += " defaulted"; break;
    case LoadChange::Kind::dropped: text += " dropped"; break;
    case LoadChange::Kind::converted:
      text += " converted from " + change.from + " to " + change.to;
      break;
    case LoadChange::Kind::renamed: text += " renamed from " + change.from; break;
    case LoadChange::Kind::renumbered: text += " renumbered"; break;
    case LoadChange::Kind::kept: text += " kept"; break;
  }
  return text + " (x" + std::to_string(change.count) + ")";
}

}  // namespace hdb
