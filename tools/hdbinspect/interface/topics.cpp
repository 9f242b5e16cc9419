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

Topic filters_topic() {
  return {"filters",
          "Which records -w means",
          {
              "Examples:",
              "  -w 'hp < 10'                        a field and a number",
              "  -w 'hp < max_hp and not asleep'     two fields; a bool stands alone",
              "  -w 'name ~ \"imp*\"'                  a text and a glob of names",
              "  -w 'kind in {1, 2, 0x10}'           one of several",
              "  -w 'target == monsters:77@2'        a handle; raw bits 0x... as well",
              "  -w 'target is null or hp == 0'      no handle, or nothing held",
              "  -w 'loot[*].count > 9'              any element; loot[0] is the first",
              "  -w 'size(loot) > 3'                 how many; also of texts and maps",
              "  -w '@slot < 100 and @gen > 1'       the record's slot and generation",
              "",
              "Operators, the loosest first: or, and, not, then == != < <= > >= ~ in is. Numbers "
              "are decimal or hexadecimal, negative too; nan and inf. Texts stand in ' or \" with "
              "\\n \\t \\\\ \\' \\\" \\xHH \\u{H}. A name with other characters than letters, "
              "digits and _ # @ $, or that is a keyword, stands in `backquotes`.",
              "",
              "Paths: pos.x, items[3].name, items[*].name, tag<2>.x (the third alternative), "
              "by_name[*].key, by_name[*].value. What an optional holds needs no mark.",
              "",
              "Meaning: a comparison holds when it holds for any value that its paths lead to; "
              "where there is none it does not hold, not even !=. 'x is null' holds where x leads "
              "to nothing or is a null handle. Integers of 64 bits and floats are compared "
              "exactly. A literal with a fraction is taken as an f32 beside an f32, as it is "
              "printed. NaN equals nothing and differs from everything. Texts are compared byte by "
              "byte. Enumerations are their integers, variants the number of their alternative.",
          }};
}

Topic globs_topic() {
  return {"globs",
          "Several tables or fields at once",
          {
              "  ?            one character",
              "  *            any characters; in a path within one part of it",
              "  **           in a path, between dots: any number of parts",
              "  [a-f] [!x]   one character of a set, or none of it",
              "  {a,b}        either",
              "  [3] [] [*]   in a path: element 3 of a list; any element",
              "  <2> <*>      in a path: an alternative of a variant",
              "  \\x           the character x itself",
              "",
              "Examples:",
              "  -t 'level_*'                        tables whose names begin so",
              "  -f 'pos.{x,z}' -f '**.name'         fields of the records",
              "  --ignore 'monsters.*.last_seen'     diff: the table comes first",
              "  --ignore '**.last_seen'             that field wherever it is",
              "  --abs 'monsters.path[0]=0.5'        the first element only",
              "",
              "Elements and alternatives need not be named: items.name is items[].name. A glob "
              "that matches a field takes all that is in it: pos takes pos.x. A name that a table "
              "or field has as it is written is no glob.",
          }};
}

}  // namespace

std::vector<Topic> all_topics() { return {names_topic(), filters_topic(), globs_topic()}; }

}  // namespace hdb::inspect
