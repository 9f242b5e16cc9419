// Lets tests, which live in hdb, name what hdb/detail declares.
#pragma once

namespace hdb {
namespace detail {}
using namespace detail;
}  // namespace hdb
