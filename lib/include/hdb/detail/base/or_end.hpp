// Calls that end the program instead of returning an error.
#pragma once

#include <utility>

#include "hdb/assert.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"

namespace hdb::detail {

template <class T>
T value_or_end(Result<T> result) {
  if (!result) fatal(result.error().message().c_str(), __FILE__, __LINE__);
  return *std::move(result);
}

HDB_INSPECT_API void end_on_error(const Status& status);

}  // namespace hdb::detail
