// diff of two snapshots: rows are made only of slots that pages do not prove equal.
#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/using_detail.hpp"
#include "database/capture/changed_slots.hpp"
#include "database/kept/kept_components.hpp"
#include "database/tables/name_and_blob_columns.hpp"
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

// The tables of a snapshot, those that a load kept among them; in rising order of names.
class State {
 public:
  struct Source {
    const SnapshotTable* captured;  // one of the two is null
    const KeptTable* kept;
  };

  explicit State(const SnapshotData& data) : tables_(data.descriptors()) {
    for (const SnapshotTable& table : data.tables()) sources_.push_back({&table, nullptr});
    const std::shared_ptr<const KeptFile> kept = kept_state(data);  // which `data` holds
    if (kept == nullptr) return;
    for (const auto& table : kept->tables) {
      const std::size_t at = insert_by_name(tables_, table->descriptor);
      sources_.insert(sources_.begin() + static_cast<std::ptrdiff_t>(at), {nullptr, table.get()});
    }
  }

  [[nodiscard]] const std::vector<TableDescriptor>& tables() const noexcept { return tables_; }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept {
    const auto found = std::lower_bound(
        tables_.begin(), tables_.end(), name,
        [](const TableDescriptor& each, std::string_view wanted) { return each.name < wanted; });
    if (found == tables_.end() || found->name != name) return std::nullopt;
    return static_cast<std::size_t>(found - tables_.begin());
  }
  [[nodiscard]] const Source& source(std::size_t table) const noexcept { return sources_[table]; }
  // Requires: the table has the slot.
  [[nodiscard]] SlotFacts facts_of(std::size_t table, std::uint64_t slot) const {
    const TableDescriptor& descriptor = tables_[table];
    if (const KeptTable* const kept = sources_[table].kept) {
      const auto [group, at] = kept->place_of(slot);
      return {static_cast<SlotState>(group->states[at]), group->generations[at]};
    }
    const std::uint32_t tag = sources_[table].captured->frozen.slots.tag(slot);
    if (slot_tag::is_live(tag)) return {SlotState::live, tag};
    return {static_cast<SlotState>(slot_tag::kind(tag)),
            slot_tag::generation(tag, descriptor.policy.layout)};
  }

 private:
  std::vector<TableDescriptor> tables_;
  std::vector<Source> sources_;  // of each table
};

class StateSide : public diffing::TableSide {
 public:
  StateSide(const State& state, std::size_t table, const Field& root)
      : state_(state), table_(table), root_(root), decoder_(root) {}

  const std::vector<TableDescriptor>& tables() const override { return state_.tables(); }
  const TableDescriptor& table() const override { return state_.tables()[table_]; }
  const Field& root() const override { return root_; }
  const Value& row() const override { return row_; }

  std::optional<SlotFacts> find_slot(std::size_t table, std::uint64_t slot) override {
    // A slot that the table does not have is not live.
    if (slot >= state_.tables()[table].slot_count) return SlotFacts{};
    return state_.facts_of(table, slot);
  }

 protected:
  [[nodiscard]] diffing::SlotView view_of(std::uint64_t slot) const {
    const SlotFacts facts = state_.facts_of(table_, slot);
    return {true, facts.state, facts.generation, 0};
  }

  const State& state_;
  const std::size_t table_;
  const Field& root_;
  RowDecoder decoder_;
  Value row_;
};

class SnapshotSide final : public StateSide {
 public:
  SnapshotSide(const State& state, std::size_t table)
      : StateSide(state, table, *state.source(table).captured->schema),
        captured_(*state.source(table).captured),
        columns_(columns_of(*captured_.schema).size()) {}

  Result<diffing::SlotView> take_slot(std::uint64_t slot) override {
    const FrozenTable& frozen = captured_.frozen;
    if (slot >= frozen.counters().slot_count) return diffing::SlotView{};
    diffing::SlotView view = view_of(slot);
    if (!view.is_live()) return view;
    if (frozen.policy().storage == Storage::dense)
      view.position = frozen.slots.entry(slot).position;
    gathered_.begin(captured_, 1);
    gathered_.add(static_cast<std::uint32_t>(slot));
    Status read = encode_rows(captured_, gathered_, columns_, nullptr);
    if (read) {
      decoder_.begin(columns_);
      read = decoder_.next(row_);
    }
    if (read) return view;
    return fail(std::move(read.error()).in(handle_name(table(), slot, view.generation)));
  }

  Result<std::vector<std::uint32_t>> free_list() const override {
    std::vector<std::uint32_t> slots(static_cast<std::size_t>(table().listed_count()));
    captured_.frozen.slots.read_free_list(0, slots);
    return slots;
  }

 private:
  const SnapshotTable& captured_;
  GatheredRecords gathered_;
  std::vector<Bytes> columns_;
};

// A table that a load kept.
class KeptSide final : public StateSide {
 public:
  KeptSide(const State& state, std::size_t table)
      : StateSide(state, table, state.source(table).kept->schema),
        kept_(*state.source(table).kept) {}

  Result<diffing::SlotView> take_slot(std::uint64_t slot) override {
    if (slot >= kept_.descriptor.slot_count) return diffing::SlotView{};
    diffing::SlotView view = view_of(slot);
    if (!view.is_live()) return view;
    const auto [group, at] = kept_.place_of(slot);
    if (group != group_) {
      group_ = group;
      decoder_.begin(group->columns);
      next_ = 0;
      rows_ = 0;
    }
    for (; next_ <= at; ++next_) {  // passes over the rows of slots that nobody asked for
      if (static_cast<SlotState>(group->states[next_]) != SlotState::live) continue;
      ++rows_;
      if (auto read = decoder_.next(row_); !read)
        return fail(std::move(read.error()).in(handle_name(table(), slot, view.generation)));
    }
    if (!group->positions.empty()) view.position = group->positions[rows_ - 1];
    return view;
  }

  Result<std::vector<std::uint32_t>> free_list() const override { return kept_.free_list; }

 private:
  const KeptTable& kept_;
  const RowGroup* group_ = nullptr;
  std::size_t next_ = 0;  // slot of the group
  std::size_t rows_ = 0;  // read of the group
};

std::unique_ptr<diffing::TableSide> side_of(const State& state, std::optional<std::size_t> table) {
  if (!table) return nullptr;
  if (state.source(*table).kept != nullptr) return std::make_unique<KeptSide>(state, *table);
  return std::make_unique<SnapshotSide>(state, *table);
}

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
Result<std::uint64_t> count_meant(diffing::TableSide& side, const RecordFilter& filter) {
  std::uint64_t count = 0;
  for (std::uint64_t slot = 0; slot < side.table().slot_count; ++slot) {
    const auto view = side.take_slot(slot);
    if (!view) return fail(view.error());
    if (view->is_live() && filter.matches(side.row(), slot, view->generation)) ++count;
  }
  return count;
}

// Calls `visit(slot, is_equal)` with each slot that may differ; `is_equal()` says whether it is
// certain that it does not.
template <class Visit>
void for_each_slot(const State::Source& a, const State::Source& b, const Visit& visit) {
  if (a.captured != nullptr && b.captured != nullptr) {
    const bool same_shape = have_same_shape(*a.captured, *b.captured);
    changed_slots(*a.captured, *b.captured).for_each([&](std::uint32_t slot) {
      visit(slot, [&] { return same_shape && is_equal(*a.captured, *b.captured, slot); });
    });
    return;
  }
  if (a.kept != nullptr && a.kept == b.kept) return;
  const auto slots_of = [](const State::Source& source) {
    return source.kept != nullptr ? source.kept->descriptor.slot_count
                                  : source.captured->frozen.counters().slot_count;
  };
  const std::uint64_t end = std::max(slots_of(a), slots_of(b));
  for (std::uint64_t slot = 0; slot < end; ++slot)
    visit(static_cast<std::uint32_t>(slot), [] { return false; });
}

Result<bool> diff_table(const State& a, const State& b, const DiffOptions& options, TableDiff& out,
                        std::optional<Error>& misfit) {
  const auto in_a = a.find(out.name);
  const auto in_b = b.find(out.name);
  if (in_a) out.old_live = a.tables()[*in_a].live_count;
  if (in_b) out.new_live = b.tables()[*in_b].live_count;
  const auto side_a = side_of(a, in_a);
  const auto side_b = side_of(b, in_b);
  const auto filters = diffing::bind_filters(options, side_a.get(), side_b.get());
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
  Status status;
  bool stopped = false;
  std::uint32_t asked = 0;
  for_each_slot(a.source(*in_a), b.source(*in_b),
                [&](std::uint32_t slot, const auto& surely_equal) {
                  if (!status || stopped) return;
                  if (options.stop && ++asked % kSlotsBetweenStops == 0 && options.stop()) {
                    stopped = true;
                    return;
                  }
                  if (surely_equal()) return;
                  status = slots.compare(slot);
                });
  if (status) status = slots.finish();
  if (!status) return fail(std::move(status.error()));
  return true;
}

}  // namespace

Result<StateDiff> diff(const Snapshot& a, const Snapshot& b, const DiffOptions& options) {
  static const SnapshotData nothing;
  const State before(a ? *data_of(a) : nothing);
  const State after(b ? *data_of(b) : nothing);
  const DatabaseDescriptor database_before = (a ? *data_of(a) : nothing).database();
  const DatabaseDescriptor database_after = (b ? *data_of(b) : nothing).database();
  return diffing::diff_tables({before.tables(), database_before}, {after.tables(), database_after},
                              options, [&](TableDiff& table, std::optional<Error>& misfit) {
                                return diff_table(before, after, options, table, misfit);
                              });
}

}  // namespace hdb
