// Lets private code, which lives in hdb, name what hdb/detail declares. Included by private files
// only: a header that is installed names hdb::detail in full.
#pragma once

namespace hdb {
namespace detail {}
using namespace detail;
}  // namespace hdb
