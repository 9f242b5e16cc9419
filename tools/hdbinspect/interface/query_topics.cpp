// The topics of filters (-w) and globs (-t, -f, --ignore, --abs, --rel).
#include "interface/topics.hpp"

namespace hdb::inspect {

Topic filters_topic() {
  return {
      "filters",
      "Which records are meant: -w EXPR",
      {
          "  hp < 10                         a field and a number",
          "  hp < max_hp and not asleep      two fields; a bool stands alone",
          "  name ~ \"imp*\"                   a text and a glob",
          "  kind in {1, 2, 0x10}            one of several",
          "  target == monsters:77@2         a handle; its bits 0x... as well",
          "  target is null or hp == 0       no handle, or nothing held",
          "  loot[*].count > 9               any element; loot[0] is the first",
          "  size(loot) > 3                  how many; also of texts and maps",
          "  @slot < 100 and @gen > 1        the slot and generation of the record",
          "",
          "Operators, the loosest first: or, and, not; then == != < <= > >= ~ in, is null. "
          "Parentheses group. Numbers are decimal or hexadecimal, with a sign; nan and inf. Texts "
          "stand in ' or \" with \\n \\t \\\\ \\' \\\" \\xHH \\u{H}. A name that is a keyword, or "
          "holds other characters than letters, digits and _ # @ $, stands in `backquotes`.",
          "",
          "Paths: pos.x, items[3].name, items[*].name, tag<2>.x (an alternative of a variant), "
          "by_name[*].key and by_name[*].value of a map. What an optional holds needs no mark.",
          "",
          "A comparison holds when it holds for any of the values that its paths lead to; where "
          "there is none it does not hold, not even !=. 'x is null' holds where x leads to nothing "
          "or is a null handle.",
          "",
          "Integers of 64 bits and floats are compared exactly; but a literal with a fraction is "
          "taken as an f32 beside an f32, as it is printed. NaN equals nothing and differs from "
          "everything. Texts are compared byte by byte. Enumerations are their integers, variants "
          "the number of their alternative.",
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
              "dump -t 'level_*' -f 'pos.{x,z}' -f '**.name' prints two coordinates and all names "
              "of some tables. In diff the table comes first: --ignore 'monsters.*.last_seen', "
              "--ignore '**.last_seen', --abs 'monsters.path[0]=0.5'.",
              "",
              "Elements and alternatives need not be named: items.name is items[].name. A glob "
              "that matches a field takes all that is in it: pos takes pos.x. A name that a table "
              "or field has as it is written is no glob.",
          }};
}

}  // namespace hdb::inspect
