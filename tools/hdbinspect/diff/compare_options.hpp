// What diff ignores and tolerates: --ignore, --abs, --rel, -t and -w against the schemas of two
// files.
#pragma once

#include <optional>
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

/// Chooses the tables of two files; remarks on globs that fit no field of them.
/// Nothing: fine; else the exit status of the problem that was reported.
[[nodiscard]] std::optional<ExitStatus> fit_request(const Context& context,
                                                    const CompareRequest& request, const Reader& a,
                                                    const Reader& b, DiffOptions& options);

}  // namespace hdb::inspect
