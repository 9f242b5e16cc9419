// Where the fixtures and other files that tests read lie.
#pragma once

#include <string>

namespace hdb::test {

/// `path`, relative to the folder of the sources, as an absolute path.
[[nodiscard]] std::string in_sources(const std::string& path);

}  // namespace hdb::test
