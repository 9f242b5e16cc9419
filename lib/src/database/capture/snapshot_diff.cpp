// diff of two snapshots: rows are made only of slots that pages do not prove equal.
#include <optional>
#include <utility>

#include "base/sees_detail.hpp"
#include "database/capture/unshared_slots.hpp"
#include "database/tables/row_extras.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/snapshot_diff.hpp"
#include "inspect/diff/schema_diff.hpp"
#include "inspect/diff/slot_diff.hpp"
#include "inspect/diff/state_diff.hpp"

namespace hdb {
namespace {

// How many slots are compared before `stop` is asked again.
constexpr std::uint32_t kSlotsBetweenStops = 1024;

class SnapshotSide final : public diffing::TableSide {
 public:
  SnapshotSide(const SnapshotData& data, std::size_t table)
      : data_(data),
        table_(data.tables[table]),
        columns_(columns_of(*table_.schema).size()),
        decoder_(*table_.schema) {}

  const SnapshotTable& captured() const noexcept { return table_; }
  const std::vector<TableDescriptor>& tables() const override { return data_.descriptors; }
  const TableDescriptor& table() const override { return *table_.descriptor; }
  const Field& root() const override { return *table_.schema; }
  const Value& row() const override { return row_; }

  Result<diffing::SlotView> take_slot(std::uint64_t slot) override {
    const FrozenTable& frozen = table_.frozen;
    if (slot >= frozen.counters().slot_count) return diffing::SlotView{};
    const SlotFacts facts = facts_of(table_, slot);
    diffing::SlotView view{true, facts.state, facts.generation, 0};
    if (!view.is_live()) return view;
    if (frozen.policy().storage == Storage::dense)
      view.position = frozen.slots.entry(slot).position;
    gathered_.begin(table_, 1);
    gathered_.add(static_cast<std::uint32_t>(slot));
    Status read = encode_rows(table_, gathered_, columns_, nullptr);
    if (read) {
      decoder_.begin(columns_);
      read = decoder_.next(row_);
    }
    if (read) return view;
    return fail(std::move(read.error()).in(handle_name(table(), slot, view.generation)));
  }

  std::optional<SlotFacts> find_slot(std::size_t table, std::uint64_t slot) override {
    const SnapshotTable& other = data_.tables[table];
    // A slot that the table does not have is not live.
    if (slot >= other.frozen.counters().slot_count) return SlotFacts{};
    return facts_of(other, slot);
  }

  Result<std::vector<std::uint32_t>> free_list() const override {
    const FrozenTable& frozen = table_.frozen;
    std::vector<std::uint32_t> slots(static_cast<std::size_t>(table_.descriptor->listed_count()));
    frozen.slots.read_free_list(0, slots);
    return slots;
  }

 private:
  static SlotFacts facts_of(const SnapshotTable& table, std::uint64_t slot) {
    const std::uint32_t tag = table.frozen.slots.tag(slot);
    if (slot_tag::is_live(tag)) return {SlotState::live, tag};
    return {static_cast<SlotState>(slot_tag::kind(tag)),
            slot_tag::generation(tag, table.descriptor->policy.layout)};
  }

  const SnapshotData& data_;
  const SnapshotTable& table_;
  GatheredRecords gathered_;
  std::vector<Bytes> columns_;
  RowDecoder decoder_;
  Value row_;
};

// Whether a slot is the same on both sides for certain, told without making rows.
bool is_equal(const SnapshotTable& a, const SnapshotTable& b, std::uint32_t slot) {
  const FrozenSlots& before = a.frozen.slots;
  const FrozenSlots& after = b.frozen.slots;
  if (slot >= before.counters.slot_count || slot >= after.counters.slot_count) return false;
  if (!slot_tag::is_live(after.tag(slot)) || before.tag(slot) != after.tag(slot)) return false;
  const bool dense = b.frozen.policy().storage == Storage::dense;
  if (dense && before.entry(slot).position != after.entry(slot).position) return false;
  return have_same_bytes(a, b, slot);
}

// The records of a table that only one side has, those that the filter means.
Result<std::uint64_t> count_meant(SnapshotSide& side, const RecordFilter& filter) {
  std::uint64_t count = 0;
  for (std::uint64_t slot = 0; slot < side.table().slot_count; ++slot) {
    const auto view = side.take_slot(slot);
    if (!view) return fail(view.error());
    if (view->is_live() && filter.matches(side.row(), slot, view->generation)) ++count;
  }
  return count;
}

Result<bool> diff_table(const SnapshotData& a, const SnapshotData& b, const DiffOptions& options,
                        TableDiff& out, std::optional<Error>& misfit) {
  const auto in_a = a.find(out.name);
  const auto in_b = b.find(out.name);
  if (in_a) out.old_live = a.descriptors[*in_a].live_count;
  if (in_b) out.new_live = b.descriptors[*in_b].live_count;
  std::optional<SnapshotSide> side_a;
  std::optional<SnapshotSide> side_b;
  if (in_a) side_a.emplace(a, *in_a);
  if (in_b) side_b.emplace(b, *in_b);
  const auto filters =
      diffing::bind_filters(options, side_a ? &*side_a : nullptr, side_b ? &*side_b : nullptr);
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
  out.schema = diffing::schema_changes(side_a->root(), side_b->root());
  diffing::drop_ignored(options, out.name, out.schema);
  diffing::SlotDiff slots(*side_a, *side_b, options, *filters, out);
  const bool same_shape = have_same_shape(side_a->captured(), side_b->captured());
  Status status;
  bool stopped = false;
  std::uint32_t asked = 0;
  unshared_slots(side_a->captured(), side_b->captured()).for_each([&](std::uint32_t slot) {
    if (!status || stopped) return;
    if (options.stop && ++asked % kSlotsBetweenStops == 0 && options.stop()) {
      stopped = true;
      return;
    }
    if (same_shape && is_equal(side_a->captured(), side_b->captured(), slot)) return;
    status = slots.compare(slot);
  });
  if (status) status = slots.finish();
  if (!status) return fail(std::move(status.error()));
  return true;
}

}  // namespace

Result<StateDiff> diff(const Snapshot& a, const Snapshot& b, const DiffOptions& options) {
  static const SnapshotData nothing;
  const SnapshotData& before = a ? *data_of(a) : nothing;
  const SnapshotData& after = b ? *data_of(b) : nothing;
  return diffing::diff_tables(before.descriptors, after.descriptors, options,
                              [&](TableDiff& table, std::optional<Error>& misfit) {
                                return diff_table(before, after, options, table, misfit);
                              });
}

}  // namespace hdb
