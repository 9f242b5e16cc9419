// Where two files differ: a comparison, counted by slots and by fields.
#include <algorithm>
#include <map>
#include <utility>

#include "inspect/overview/parts.hpp"

namespace hdb {
namespace overviews {
namespace {

// "items[3].name" as "items[].name": elements of a list change places.
std::string path_of_any_element(std::string_view path) {
  std::string out;
  for (std::size_t at = 0; at < path.size(); ++at) {
    out += path[at];
    if (path[at] != '[') continue;
    std::size_t end = at + 1;
    while (end < path.size() && path[end] >= '0' && path[end] <= '9') ++end;
    if (end < path.size() && path[end] == ']') at = end - 1;
  }
  return out;
}

class ChangeCounter {
 public:
  ChangeCounter(const Reader& a, const Reader& b, std::size_t max_bins)
      : a_(a), b_(b), max_bins_(max_bins) {}

  void add(const RecordDiff& record) {
    if (bins_.empty()) begin(record.table);
    ChangeBin& bin = bins_[static_cast<std::size_t>(record.slot / width_)];
    switch (record.mark) {
      case DiffMark::added: ++bin.added; break;
      case DiffMark::removed: ++bin.removed; break;
      case DiffMark::changed: ++bin.changed; break;
      case DiffMark::reused: ++bin.reused; break;
    }
    ++records_;
    for (const FieldChange& change : record.fields) {
      std::string path = path_of_any_element(change.path);
      const auto found = fields_.find(path);
      // Maps and lists of lists could name ever new fields; those that come first are the schema's
      // own.
      if (found == fields_.end() && fields_.size() >= kMostPaths) continue;
      Count& count = found == fields_.end() ? fields_[std::move(path)] : found->second;
      if (count.last_record == records_) continue;
      count.last_record = records_;
      ++count.records;
    }
  }

  TableChangeMap take(const TableDiff& table) {
    TableChangeMap out;
    out.difference = table;
    out.difference.details.clear();
    if (table.old_live && table.new_live) {
      if (bins_.empty()) begin(table.name);
      out.slots = std::move(bins_);
    }
    for (auto& [path, count] : fields_) out.fields.push_back({path, count.records});
    std::stable_sort(
        out.fields.begin(), out.fields.end(),
        [](const FieldChangeCount& x, const FieldChangeCount& y) { return x.records > y.records; });
    if (out.fields.size() > TableChangeMap::kMaxFields)
      out.fields.resize(TableChangeMap::kMaxFields);
    bins_.clear();
    fields_.clear();
    records_ = 0;
    return out;
  }

 private:
  struct Count {
    std::uint64_t records = 0;
    std::uint64_t last_record = 0;
  };

  static std::uint64_t slots_in(const Reader& reader, const std::string& name) {
    for (const TableDescriptor& table : reader.tables()) {
      if (table.name == name) return table.slot_count;
    }
    return 0;
  }

  void begin(const std::string& table) {
    const std::uint64_t slots = std::max(slots_in(a_, table), slots_in(b_, table));
    width_ = bin_width(slots, max_bins_);
    for (std::uint64_t first = 0; first < slots; first += width_)
      bins_.push_back({.first_slot = first, .slots = std::min(width_, slots - first)});
  }

  static constexpr std::size_t kMostPaths = 16384;
  const Reader& a_;
  const Reader& b_;
  std::size_t max_bins_;
  std::uint64_t width_ = 1;
  std::uint64_t records_ = 0;  // seen of this table
  std::vector<ChangeBin> bins_;
  std::map<std::string, Count> fields_;
};

}  // namespace
}  // namespace overviews

Result<std::vector<TableChangeMap>> change_overview(const Reader& a, const Reader& b,
                                                    const DiffOptions& options,
                                                    std::size_t max_slot_bins) {
  std::vector<TableChangeMap> out;
  overviews::ChangeCounter counter(a, b, max_slot_bins);
  DiffOptions counting = options;
  counting.on_record = [&](const RecordDiff& record) {
    counter.add(record);
    if (options.on_record) options.on_record(record);
  };
  counting.on_table = [&](const TableDiff& table) {
    out.push_back(counter.take(table));
    if (options.on_table) options.on_table(table);
  };
  auto compared = diff(a, b, counting);
  if (!compared) return fail(std::move(compared.error()));
  return out;
}

}  // namespace hdb
