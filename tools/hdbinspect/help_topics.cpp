// The texts of help topics.
#include "help_topics.hpp"

namespace hdb::inspect {

const std::string_view kFiltersHelp =
    "Filters (-w EXPR) tell which records are meant.\n"
    "\n"
    "Examples:\n"
    "  -w 'hp < 10'                        a field and a number\n"
    "  -w 'hp < max_hp and not asleep'     two fields; a bool stands alone\n"
    "  -w 'name ~ \"imp*\"'                  a text and a glob of names\n"
    "  -w 'kind in {1, 2, 0x10}'           one of several\n"
    "  -w 'target == monsters:77@2'        a handle; raw bits 0x... as well\n"
    "  -w 'target is null or hp == 0'      no handle, or nothing held\n"
    "  -w 'loot[*].count > 9'              any element; loot[0] is the first\n"
    "  -w 'size(loot) > 3'                 how many; also of texts and maps\n"
    "  -w '@slot < 100 and @gen > 1'       the record's slot and generation\n"
    "\n"
    "Operators, the loosest first: or, and, not, then == != < <= > >= ~ in is.\n"
    "Numbers are decimal or hexadecimal, negative too; nan and inf. Texts stand in\n"
    "' or \" with \\n \\t \\\\ \\' \\\" \\xHH \\u{H}. A name with other characters than\n"
    "letters, digits and _ # @ $, or that is a keyword, stands in `backquotes`.\n"
    "\n"
    "Paths: pos.x, items[3].name, items[*].name, tag<2>.x (the third alternative),\n"
    "by_name[*].key, by_name[*].value. What an optional holds needs no mark.\n"
    "\n"
    "Meaning: a comparison holds when it holds for any value that its paths lead to;\n"
    "where there is none it does not hold, not even !=. 'x is null' holds where x\n"
    "leads to nothing or is a null handle. Integers of 64 bits and floats are\n"
    "compared exactly. A literal with a fraction is taken as an f32 beside an f32,\n"
    "as it is printed. NaN equals nothing and differs from everything. Texts are\n"
    "compared byte by byte. Enumerations are their integers, variants the number of\n"
    "their alternative.\n";

const std::string_view kGlobsHelp =
    "Globs name several tables or fields at once.\n"
    "\n"
    "  ?            one character\n"
    "  *            any characters; in a path within one part of it\n"
    "  **           in a path, between dots: any number of parts\n"
    "  [a-f] [!x]   one character of a set, or none of it\n"
    "  {a,b}        either\n"
    "  [3] [] [*]   in a path: element 3 of a list; any element\n"
    "  <2> <*>      in a path: an alternative of a variant\n"
    "  \\x           the character x itself\n"
    "\n"
    "Examples:\n"
    "  -t 'level_*'                        tables whose names begin so\n"
    "  -f 'pos.{x,z}' -f '**.name'         fields of the records\n"
    "  --ignore 'monsters.*.last_seen'     diff: the table comes first\n"
    "  --ignore '**.last_seen'             that field wherever it is\n"
    "  --abs 'monsters.path[0]=0.5'        the first element only\n"
    "\n"
    "Elements and alternatives need not be named: items.name is items[].name. A glob\n"
    "that matches a field takes all that is in it: pos takes pos.x. A name that a\n"
    "table or field has as it is written is no glob.\n";

}  // namespace hdb::inspect
