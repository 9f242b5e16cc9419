// Compares a table of the program with a stored one.
#include "record/table_match.hpp"

#include <utility>

namespace hdb::detail::record {
namespace {

std::string policy_difference(const TablePolicy& own, const TablePolicy& stored) {
  if (own.is_component != stored.is_component) return "being a component table";
  if (own.storage != stored.storage) return "storage (dense or stable)";
  if (own.free_list != stored.free_list) return "free list (LIFO or FIFO)";
  if (own.generations != stored.generations) return "generations (per slot or table counter)";
  if (own.removal != stored.removal) return "removal (swap or in_place)";
  if (own.names != stored.names) return "names (none, exact or ignore_case)";
  return "overflow (retire or wrap)";
}

}  // namespace

std::vector<CompatFinding> match_tables(const TableDescriptor& own, std::uint64_t max_records,
                                        const TableDescriptor& stored) {
  std::vector<CompatFinding> found;
  const auto add = [&](CompatRule rule, std::string what, std::optional<ErrorCode> code) {
    found.push_back(finding_of(rule, {}, std::move(what), code));
  };
  TablePolicy policy = stored.policy;
  policy.layout = own.policy.layout;  // has a finding of its own
  if (own.policy.layout != stored.policy.layout) {
    add(CompatRule::table_layout,
        "handles are " + layout_text(stored.policy.layout) + " in the file, " +
            layout_text(own.policy.layout) + " in the program",
        ErrorCode::layout_mismatch);
  }
  if (own.policy != policy) {
    add(CompatRule::table_policy,
        policy_difference(own.policy, policy) + " differs from that of the file",
        ErrorCode::storage_mismatch);
  }
  if (own.owner != stored.owner && own.policy.is_component && stored.policy.is_component) {
    add(CompatRule::table_policy,
        "its components belong to records of table '" + stored.owner + "' in the file, of '" +
            own.owner + "' in the program",
        ErrorCode::storage_mismatch);
  }
  if (stored.blobs != own.blobs) {
    add(CompatRule::table_blobs,
        "only one side has blobs, or their capacity, alignment or compaction differs",
        ErrorCode::storage_mismatch);
  }
  if (own.singleton != stored.singleton) {
    add(CompatRule::table_singleton, "only one of file and program has a singleton",
        ErrorCode::storage_mismatch);
  } else if (own.singleton && stored.live_count != 1) {  // Singleton::get relies on it
    add(CompatRule::table_singleton, "the table is a singleton, but the file has no record of it",
        ErrorCode::storage_mismatch);
  }
  if (stored.live_count > max_records) {
    add(CompatRule::table_limit,
        "the file has " + std::to_string(stored.live_count) +
            " records, but the program's table holds at most " + std::to_string(max_records),
        ErrorCode::table_full);
    found.back().depends_on_values = false;  // the count is known
  }
  if (own.is_hashed() != stored.is_hashed()) {
    add(CompatRule::table_hashed, "the state hash covers the table on one side only", {});
  }
  return found;
}

}  // namespace hdb::detail::record
