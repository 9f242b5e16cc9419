// What diff ignores and tolerates: --ignore, --abs, --rel, -t and -w against the schemas of two
// files.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "command.hpp"
#include "hdb/inspect/diff.hpp"

namespace hdb::inspect {

/// The options as they were typed.
struct CompareRequest {
  std::vector<std::string> tables;
  std::vector<std::string> ignore;
  std::vector<std::string> absolute;  ///< "[GLOB=]X"
  std::vector<std::string> relative;
  std::string where;
  bool nan_equal = false;
};

/// Fills `options` from the request; false after reporting what is wrong.
[[nodiscard]] bool read_request(const Context& context, const CompareRequest& request,
                                DiffOptions& options);

/// Names in a request that neither of two files has: by the option and its value as typed, how to
/// report each.
using Misfits = std::map<std::string, std::function<ExitStatus(const Context&)>>;

/// Chooses the tables of two files, and the filter if it fits any of them.
[[nodiscard]] Misfits fit_request(const CompareRequest& request, const Reader& a, const Reader& b,
                                  DiffOptions& options);

}  // namespace hdb::inspect
