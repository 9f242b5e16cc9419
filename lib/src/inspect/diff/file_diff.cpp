// The merge over slots: row groups of both files side by side, unread where block heads prove them
// equal.
#include <algorithm>
#include <optional>
#include <utility>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/filter.hpp"
#include "inspect/diff/compare_rules.hpp"
#include "inspect/diff/file_side.hpp"
#include "inspect/diff/schema_diff.hpp"
#include "inspect/diff/slot_diff.hpp"
#include "inspect/diff/state_diff.hpp"

namespace hdb {
namespace diffing {
namespace {

class FileDiff {
 public:
  FileDiff(FileSide& a, FileSide& b, const DiffOptions& options, const SideFilters& filters,
           TableDiff& result)
      : options_(options),
        a_(a),
        b_(b),
        common_(common_columns(a.root(), b.root())),
        result_(result),
        slots_(a, b, options, filters, result) {
    const std::vector<bool> ignored = ignored_columns(slots_.rules(), a.root());
    const auto dropped = std::stable_partition(
        common_.begin(), common_.end(), [&](const ColumnPair& pair) { return !ignored[pair.a]; });
    ignored_.assign(dropped, common_.end());
    common_.erase(dropped, common_.end());
    if (filters.a) a_.always_read(filters.a->columns());
    if (filters.b) b_.always_read(filters.b->columns());
  }

  Status run() {
    const std::uint64_t slots = std::max(a_.table().slot_count, b_.table().slot_count);
    const unsigned shift = std::min(a_.table().group_shift, b_.table().group_shift);
    for (std::uint64_t first = 0; first < slots; first += std::uint64_t{1} << shift) {
      if (options_.stop && options_.stop()) break;
      const std::uint64_t last = std::min(first + (std::uint64_t{1} << shift), slots);
      if (auto compared = compare_groups(first, last); !compared) return compared;
    }
    return slots_.finish(options_.read_all || a_.free_list_hashes() != b_.free_list_hashes());
  }

 private:
  Status compare_groups(std::uint64_t first, std::uint64_t last) {
    const bool a_begins = a_.group_begins_at(first);
    const bool b_begins = b_.group_begins_at(first);
    const std::uint64_t blocks =
        std::max(a_begins ? a_.blocks_at(first) : 0, b_begins ? b_.blocks_at(first) : 0);
    result_.blocks += blocks;
    bool stored_differently = false;
    std::vector<ColumnPair> wanted = common_;
    if (a_begins && b_begins && a_.table().group_shift == b_.table().group_shift) {
      stored_differently = a_.stored_hash_at(first) != b_.stored_hash_at(first);
      auto plan = plan_of(first);
      if (!plan) return fail(std::move(plan.error()));
      // Blocks that differ in what is ignored are not only stored in another way.
      stored_differently = stored_differently && !plan->ignored_differ;
      if (plan->nothing && !options_.read_all) {
        if (stored_differently) result_.stored_differently += blocks;
        return {};
      }
      if (!options_.read_all) wanted = std::move(plan->wanted);
    }
    result_.blocks_read += blocks;
    const std::uint64_t before = slots_.count();
    const std::uint64_t tolerated = result_.within_tolerance;
    if (a_begins) {
      if (auto loaded = a_.load(first, wanted, &ColumnPair::a); !loaded) return loaded;
    }
    if (b_begins) {
      if (auto loaded = b_.load(first, wanted, &ColumnPair::b); !loaded) return loaded;
    }
    for (std::uint64_t slot = first; slot < last; ++slot) {
      if (auto compared = slots_.compare(slot); !compared) return compared;
    }
    if (stored_differently && before == slots_.count() && tolerated == result_.within_tolerance &&
        !options_.where) {
      result_.stored_differently += blocks;
    }
    return {};
  }

  struct Plan {
    bool nothing = false;            // the groups are equal by hash
    bool ignored_differ = false;     // columns that are ignored are not
    std::vector<ColumnPair> wanted;  // the columns to read
  };

  // Decides from the block heads alone what has to be read of two groups of the same slots.
  Result<Plan> plan_of(std::uint64_t first) {
    auto hashes_a = a_.column_hashes_at(first);
    if (!hashes_a) return fail(std::move(hashes_a.error()));
    auto hashes_b = b_.column_hashes_at(first);
    if (!hashes_b) return fail(std::move(hashes_b.error()));
    Plan plan;
    for (const ColumnPair& pair : ignored_) {
      plan.ignored_differ = plan.ignored_differ || !pair.comparable ||
                            hashes_a->of_column(pair.a) != hashes_b->of_column(pair.b);
    }
    if (!hashes_a->same_slots(*hashes_b)) {
      plan.wanted = common_;  // the rows may not be of the same records
      return plan;
    }
    for (const ColumnPair& pair : common_) {
      if (!pair.comparable || hashes_a->of_column(pair.a) != hashes_b->of_column(pair.b))
        plan.wanted.push_back(pair);
    }
    plan.nothing = plan.wanted.empty() && hashes_a->same_positions(*hashes_b);
    return plan;
  }

  const DiffOptions& options_;
  FileSide& a_;
  FileSide& b_;
  std::vector<ColumnPair> common_;
  std::vector<ColumnPair> ignored_;
  TableDiff& result_;
  SlotDiff slots_;
};

std::optional<std::size_t> index_of(const std::vector<TableDescriptor>& tables,
                                    const std::string& name) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].name == name) return i;
  }
  return std::nullopt;
}

// The records of a table that only one side has, those that the filter means.
Result<std::uint64_t> count_meant(FileSide& side, const RecordFilter& filter) {
  side.always_read(filter.columns());
  std::uint64_t count = 0;
  for (std::uint64_t slot = 0; slot < side.table().slot_count; ++slot) {
    if (side.group_begins_at(slot)) {
      if (auto loaded = side.load(slot, {}, &ColumnPair::a); !loaded)
        return fail(std::move(loaded.error()));
    }
    const auto view = side.take_slot(slot);
    if (!view) return fail(view.error());
    if (view->is_live() && filter.matches(side.row(), slot, view->generation)) ++count;
  }
  return count;
}

// Columns of so few bytes are looked at in full; of others, their filter tells.
constexpr std::uint64_t kFewBytes = format::kMaxPackBytes;

// The value of the plain field `path`, if block heads and a few bytes show that it is the same in
// all records; else empty.
Result<std::string> constant_value(const Reader& reader, std::size_t table_number,
                                   const std::string& path) {
  const TableDescriptor& table = reader.tables()[table_number];
  const Field& root = reader.schemas()[table.schema];
  const auto place = find_field(root, path);
  if (!place || place->column_count != 1 || fixed_width(*place->field) == 0) return std::string();
  const std::uint32_t column = place->first_column;
  std::optional<Value> value;
  RowDecoder decoder(root, {&column, 1});
  if (decoder.needed_columns().size() != 1)
    return std::string();  // in a list: how many there are would be needed too
  RowGroup group;
  Value row;
  for (std::uint64_t number = 0; number < table.group_count(); ++number) {
    const auto chunks = reader.chunks(table_number, number);
    if (!chunks) return fail(chunks.error());
    bool constant = false;
    std::uint64_t bytes = 0;
    for (const ChunkInfo& chunk : *chunks) {
      if (chunk.column != format::kFirstSchemaColumn + column) continue;
      bytes += chunk.raw_bytes;
      constant =
          chunk.piece == 0 && chunk.filter == static_cast<std::uint8_t>(format::Filter::constant);
    }
    if (bytes == 0) continue;
    if (!constant && bytes > kFewBytes) return std::string();
    if (auto read = reader.read_columns(table_number, number, decoder.needed_columns(), group);
        !read) {
      return fail(std::move(read.error()));
    }
    decoder.begin(group.columns);
    for (std::size_t rows = constant ? 1 : group.live_count(); rows != 0; --rows) {
      if (!decoder.next(row)) break;
      const auto found = find_value(row, path);
      if (!found || (value && value->bits != found->bits)) return std::string();
      value = *found;
    }
  }
  return value ? value_text(*value, HandleNamer(reader.tables())) : std::string();
}

Result<bool> diff_table(const Reader& a, const Reader& b, const DiffOptions& options,
                        TableDiff& out, std::optional<Error>& misfit) {
  const auto in_a = index_of(a.tables(), out.name);
  const auto in_b = index_of(b.tables(), out.name);
  if (in_a) out.old_live = a.tables()[*in_a].live_count;
  if (in_b) out.new_live = b.tables()[*in_b].live_count;
  std::optional<FileSide> side_a;
  std::optional<FileSide> side_b;
  if (in_a) side_a.emplace(a, *in_a, options.files[0], options.max_row_values);
  if (in_b) side_b.emplace(b, *in_b, options.files[1], options.max_row_values);
  const auto filters =
      bind_filters(options, side_a ? &*side_a : nullptr, side_b ? &*side_b : nullptr);
  if (!filters) {
    if (!misfit) misfit = filters.error();
    return false;
  }
  if (!in_a || !in_b) {
    out.added = out.new_live.value_or(0);
    out.removed = out.old_live.value_or(0);
    if (!filters->wanted) return true;
    const auto count = in_a ? count_meant(*side_a, *filters->a) : count_meant(*side_b, *filters->b);
    if (!count) return fail(count.error());
    (in_a ? out.removed : out.added) = *count;
    return true;
  }
  out.schema = schema_changes(side_a->root(), side_b->root());
  drop_ignored(options, out.name, out.schema);
  for (SchemaChange& change : out.schema) {
    if (change.mark != '+' || !options.added_values) continue;
    auto value = constant_value(b, *in_b, change.path);
    if (!value) {
      if (value.error().file.empty()) value.error().file = options.files[1];
      return fail(std::move(value.error()));
    }
    change.value = *std::move(value);
  }
  if (auto compared = FileDiff(*side_a, *side_b, options, *filters, out).run(); !compared)
    return fail(std::move(compared.error()));
  return true;
}

}  // namespace
}  // namespace diffing

Result<StateDiff> diff(const Reader& a, const Reader& b, const DiffOptions& options) {
  return diffing::diff_tables({a.tables(), a.database()}, {b.tables(), b.database()}, options,
                              [&](TableDiff& table, std::optional<Error>& misfit) {
                                return diffing::diff_table(a, b, options, table, misfit);
                              });
}

}  // namespace hdb
