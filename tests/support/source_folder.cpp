// The only file that is compiled with the place of the sources, so that a compiler cache knows all
// others when the sources lie elsewhere.
#include "support/source_folder.hpp"

namespace hdb::test {

std::string in_sources(const std::string& path) { return HDB_SOURCE_FOLDER "/" + path; }

}  // namespace hdb::test
