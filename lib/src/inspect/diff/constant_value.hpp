// A field that is the same in all records of a file's table.
#pragma once

#include <cstddef>
#include <string>

#include "hdb/inspect/reader.hpp"

namespace hdb::diffing {

/// The value of the plain field `path`, where block heads and a few bytes show that it is the same
/// in all records; else empty.
[[nodiscard]] Result<std::string> constant_value(const Reader& reader, std::size_t table_number,
                                                 const std::string& path);

}  // namespace hdb::diffing
