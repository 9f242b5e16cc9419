// What is worth knowing beyond single options. One paragraph a text; see Topic.
#include "interface/help.hpp"

namespace hdb::inspect {
namespace {

Topic names_topic() {
  return {
      "names",
      "How to name tables, records and fields",
      {
          "The name of a record is its handle, TABLE:SLOT@GENERATION:",
          "",
          "  monsters:1042@7         a record",
          "  monsters:1042@7.pos.x   one field of it",
          "  monsters:1042           the record that is in the slot now",
          "  0x700000412             the bits of a handle",
          "",
          "Wherever a handle is accepted, its bits are accepted too. Their table is the one of the "
          "type id in the bits, or the only table that has such a record; otherwise give -t.",
          "",
          "The name of a field is its path, with dots between the parts: pos.x. items[].name is "
          "the field name in every element of a list, items[3].name in element 3.",
      }};
}

Topic filters_topic() {
  return {
      "filters",
      "How to select records with -w",
      {
          "Examples:",
          "  -w 'hp < 10'                        a field and a number",
          "  -w 'hp < max_hp and not asleep'     two fields; a bool needs no comparison",
          "  -w 'name ~ \"imp*\"'                  a text and a glob",
          "  -w 'kind in {1, 2, 0x10}'           one of several values",
          "  -w 'target == monsters:77@2'        a handle; raw bits 0x... work too",
          "  -w 'target is null or hp == 0'      a null handle or an empty optional",
          "  -w 'loot[*].count > 9'              any element; loot[0] is the first one",
          "  -w 'size(loot) > 3'                 the number of elements; also of texts and maps",
          "  -w '@slot < 100 and @gen > 1'       the slot and generation of the record",
          "",
          "Operators, lowest precedence first: or, and, not, then == != < <= > >= ~ in is. Numbers "
          "are decimal or hexadecimal, may be negative, or are nan or inf. Texts are in ' or \" "
          "with the escapes \\n \\t \\\\ \\' \\\" \\xHH \\u{H}. If a name has other characters "
          "than letters, digits and _ # @ $, or is a keyword, put it in `backquotes`.",
          "",
          "Paths: pos.x, items[3].name, items[*].name, tag<2>.x (the third alternative), "
          "by_name[*].key, by_name[*].value. The value of an optional has the path of the "
          "optional.",
          "",
          "Meaning: if a path has several values, a comparison is true if it is true for at least "
          "one of them. If a path has no value, every comparison is false, also !=. 'x is null' is "
          "true if x has no value or is a null handle. 64-bit integers and floats are compared "
          "exactly. If a literal with a fraction is compared with an f32, the literal is rounded "
          "to an f32, as hdbinspect prints it. NaN is not equal to any value, also not to NaN. "
          "Texts are compared byte by byte. An enumeration is compared as its integer, a variant "
          "as the number of its alternative.",
      }};
}

Topic globs_topic() {
  return {"globs",
          "How to select several tables or fields at once",
          {
              "  ?            one character",
              "  *            any characters; in a path, only within one part",
              "  **           in a path, between dots: any number of parts",
              "  [a-f] [!x]   one character in the set, or one not in the set",
              "  {a,b}        a or b",
              "  [3] [] [*]   in a path: element 3 of a list; any element",
              "  <2> <*>      in a path: an alternative of a variant",
              "  \\x           the character x itself",
              "",
              "Examples:",
              "  -t 'level_*'                        tables whose names begin with level_",
              "  -f 'pos.{x,z}' -f '**.name'         fields of the records",
              "  --ignore 'monsters.*.last_seen'     diff: the table is the first part",
              "  --ignore '**.last_seen'             the field in every table and structure",
              "  --abs 'monsters.path[0]=0.5'        the first element only",
              "",
              "Elements and alternatives can be left out: items.name is items[].name. A glob that "
              "matches a field also matches the fields inside it: pos matches pos.x. If a table or "
              "field has exactly the name as written, the name is not treated as a glob.",
          }};
}

}  // namespace

std::vector<Topic> all_topics() { return {names_topic(), filters_topic(), globs_topic()}; }

}  // namespace hdb::inspect
