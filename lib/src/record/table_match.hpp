// The rules of a load about a table as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/sees_detail.hpp"
#include "hdb/inspect/compat.hpp"
#include "hdb/schema.hpp"

namespace hdb::detail::record {

/// A finding with the effect of its rule.
[[nodiscard]] CompatFinding finding_of(CompatRule rule, std::string field, std::string what,
                                       std::optional<ErrorCode> code = {});

/// Compares a table of the program, which holds at most `max_records`, with a stored one of the
/// same name. The first finding that is incompatible is the error of a load.
[[nodiscard]] std::vector<CompatFinding> match_tables(const TableDescriptor& own,
                                                      std::uint64_t max_records,
                                                      const TableDescriptor& stored);

}  // namespace hdb::detail::record
