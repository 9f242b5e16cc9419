// Looks over a whole file, table by table.
#include "hdb/inspect/overview.hpp"

#include <algorithm>
#include <utility>

#include "inspect/overview/parts.hpp"

namespace hdb {
namespace overviews {

Status Faults::add(Error error) {
  if (category_of(error.code) != ErrorCategory::corrupt) return fail(std::move(error));
  const auto same = [&](const Error& known) {
    return known.code == error.code && known.offset == error.offset && known.where == error.where;
  };
  // Several looks at one place meet the same damage.
  if (std::any_of(out_.faults.begin(), out_.faults.end(), same)) return {};
  if (out_.faults.size() < max_) {
    out_.faults.push_back(std::move(error));
  } else {
    ++out_.faults_not_kept;
  }
  return {};
}

}  // namespace overviews

Result<FileOverview> overview(const Reader& reader, const OverviewOptions& options) {
  FileOverview out;
  overviews::Faults faults(out, options.max_faults);
  for (const Error& fault : reader.open_faults()) {
    if (auto passed = faults.add(fault); !passed) return fail(std::move(passed.error()));
  }
  std::uint64_t stored = 0;
  for (std::size_t table = 0; table < reader.tables().size(); ++table) {
    TableOverview& entry = out.tables.emplace_back();
    entry.table = table;
    if (auto passed = overviews::look_over_slots(reader, options, faults, entry); !passed)
      return fail(std::move(passed.error()));
    if (auto passed = overviews::look_over_bytes(reader, faults, entry); !passed)
      return fail(std::move(passed.error()));
    stored += entry.stored_bytes;
  }
  out.others = overviews::bytes_of_no_table(reader, stored);
  if (!options.references) return out;
  auto references = count_references(reader);
  if (references) {
    out.references = *std::move(references);
    out.references_known = true;
  } else if (auto passed = faults.add(std::move(references.error())); !passed) {
    return fail(std::move(passed.error()));
  }
  return out;
}

}  // namespace hdb
