// What is worth knowing beyond single options. One paragraph a text; see Topic.
#include "interface/topics.hpp"

namespace hdb::inspect {
namespace {

Topic names_topic() {
  return {"names",
          "How tables, records and fields are called",
          {
              "A record is called by its handle, TABLE:SLOT@GENERATION:",
              "",
              "  monsters:1042@7         a record",
              "  monsters:1042@7.pos.x   one field of it",
              "  monsters:1042           whatever is in the slot now",
              "  0x700000412             the bits of a handle",
              "",
              "Bits are accepted wherever a handle is. Which table they mean follows from the type "
              "id in them, or from the only table that has such a record; else -t tells.",
              "",
              "A field is called by the names on the way to it, with a dot between them: pos.x. "
              "items[].name is the name in every element of a list, items[3].name in one.",
          }};
}

}  // namespace

std::vector<Topic> all_topics() { return {names_topic()}; }

}  // namespace hdb::inspect
