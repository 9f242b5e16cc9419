// The merge over slots: row groups of both files side by side, unread where block heads prove them
// equal.
#include "diff/table_diff.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "describe.hpp"
#include "diff/group_side.hpp"
#include "diff/value_diff.hpp"
#include "input.hpp"
#include "json.hpp"
#include "value_text.hpp"

namespace hdb::inspect {
namespace {

// The first of many small differences, and how many there are.
struct Tally {
  std::uint64_t count = 0;
  std::string first;
  template <class Describe>
  void add(const Describe& describe) {
    if (count++ == 0) first = describe();
  }
};

class TableDiffer {
 public:
  TableDiffer(const TableSide& a, const TableSide& b, const TableDiffOptions& options)
      : options_(options),
        a_(a),
        b_(b),
        common_(common_columns(a_.root(), b_.root())),
        slots_of_a_(*a.reader),
        slots_of_b_(*b.reader),
        namer_a_(a.reader->tables()),
        namer_b_(b.reader->tables()) {}

  Result<TableDiff> run() {
    const std::uint64_t slots = std::max(a_.table().slot_count, b_.table().slot_count);
    const unsigned shift = std::min(a_.table().group_shift, b_.table().group_shift);
    for (std::uint64_t first = 0; first < slots; first += std::uint64_t{1} << shift) {
      if (options_.stop && options_.stop()) break;
      const std::uint64_t last = std::min(first + (std::uint64_t{1} << shift), slots);
      if (auto compared = compare_groups(first, last); !compared)
        return fail(std::move(compared.error()));
    }
    for (TableNote& note : descriptor_notes(a_.table(), b_.table()))
      result_.notes.push_back(std::move(note));
    auto free_list = free_list_note(a_.side(), b_.side());
    if (!free_list) return fail(std::move(free_list.error()));
    if (*free_list) result_.notes.push_back(**std::move(free_list));
    add_tally("vacant slots", vacant_, "differ in state or generation");
    add_tally("dense order", moved_, "records stand at another position");
    return std::move(result_);
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
      if (plan->nothing && !options_.read_all) {
        if (stored_differently) result_.stored_differently += blocks;
        return {};
      }
      if (!options_.read_all) wanted = std::move(plan->wanted);
    }
    result_.blocks_read += blocks;
    const std::uint64_t before = result_.records() + vacant_.count + moved_.count;
    if (a_begins) {
      if (auto loaded = a_.load(first, wanted, &ColumnPair::a); !loaded) return loaded;
    }
    if (b_begins) {
      if (auto loaded = b_.load(first, wanted, &ColumnPair::b); !loaded) return loaded;
    }
    for (std::uint64_t slot = first; slot < last; ++slot) {
      if (auto compared = compare_slot(slot); !compared) return compared;
    }
    if (stored_differently && before == result_.records() + vacant_.count + moved_.count) {
      result_.stored_differently += blocks;
    }
    return {};
  }

  struct Plan {
    bool nothing = false;            // the groups are equal by hash
    std::vector<ColumnPair> wanted;  // the columns to read
  };

  // Decides from the block heads alone what has to be read of two groups of the same slots.
  Result<Plan> plan_of(std::uint64_t first) {
    auto hashes_a = a_.column_hashes_at(first);
    if (!hashes_a) return fail(std::move(hashes_a.error()));
    auto hashes_b = b_.column_hashes_at(first);
    if (!hashes_b) return fail(std::move(hashes_b.error()));
    Plan plan;
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

  Status compare_slot(std::uint64_t slot) {
    auto in_a = a_.take_slot(slot);
    if (!in_a) return fail(std::move(in_a.error()));
    auto in_b = b_.take_slot(slot);
    if (!in_b) return fail(std::move(in_b.error()));
    const bool live_a = in_a->is_live();
    const bool live_b = in_b->is_live();
    if (live_a && live_b && in_a->generation == in_b->generation) {
      compare_records(slot, in_a->generation);
      if (in_a->position != in_b->position) {
        moved_.add([&] {
          return fmt::format("{}: position {} -> {}",
                             handle_name(a_.table(), slot, in_a->generation), in_a->position,
                             in_b->position);
        });
      }
    } else if (live_a && live_b) {
      ++result_.reused;
      tell(Mark::reused, slot, in_a->generation, in_b->generation, {});
    } else if (live_a) {
      ++result_.removed;
      tell(Mark::removed, slot, in_a->generation, 0, {});
    } else if (live_b) {
      ++result_.added;
      tell(Mark::added, slot, 0, in_b->generation, {});
    } else if (in_a->exists && in_b->exists &&
               (in_a->state != in_b->state || in_a->generation != in_b->generation)) {
      vacant_.add([&] {
        return fmt::format("slot {}: {} @{} -> {} @{}", slot, state_name(in_a->state),
                           in_a->generation, state_name(in_b->state), in_b->generation);
      });
    }
    return {};
  }

  void compare_records(std::uint64_t slot, std::uint32_t generation) {
    if (equal_values(a_.row(), b_.row())) return;
    ++result_.changed;
    std::vector<FieldChange> fields;
    if (options_.fields && options_.on_record) {
      for_each_difference(a_.row(), b_.row(), {},
                          [&](const std::string& path, const Value* a, const Value* b) {
                            fields.push_back(field_change(path, a, b));
                          });
    }
    tell(Mark::changed, slot, generation, generation, std::move(fields));
  }

  void tell(Mark mark, std::uint64_t slot, std::uint32_t old_generation,
            std::uint32_t new_generation, std::vector<FieldChange> fields) {
    if (!options_.on_record) return;
    options_.on_record({mark, slot, old_generation, new_generation, std::move(fields)});
  }

  FieldChange field_change(const std::string& path, const Value* a, const Value* b) {
    FieldChange change;
    change.path = path;
    if (a != nullptr)
      change.old_value = options_.json ? value_json(*a, namer_a_) : value_text(*a, namer_a_);
    if (b != nullptr)
      change.new_value = options_.json ? value_json(*b, namer_b_) : value_text(*b, namer_b_);
    if (a != nullptr && b != nullptr) change.change = difference_text(*a, *b);
    if (a != nullptr && a->field->kind == FieldKind::handle &&
        is_live(slots_of_a_, namer_a_, a_, *a) == true &&
        is_live(slots_of_b_, namer_b_, b_, *a) == false) {
      change.note = namer_a_.name(*a->field, a->bits) + " was removed";
    } else if (b != nullptr && b->field->kind == FieldKind::handle && b->bits != 0 &&
               is_live(slots_of_b_, namer_b_, b_, *b) == false) {
      change.note = namer_b_.name(*b->field, b->bits) + " is stale";
    }
    return change;
  }

  // Whether a handle value names a live record; nothing where that cannot be told.
  static std::optional<bool> is_live(SlotLookup& slots, const HandleNamer& namer,
                                     const GroupSide& side, const Value& value) {
    const auto parts = split_handle(value.field->layout, value.bits);
    const auto table = namer.table_of(*value.field, value.bits);
    if (value.bits == 0 || !parts || !table || *table >= side.side().reader->tables().size())
      return std::nullopt;
    const auto facts = slots.find(*table, parts->index);
    if (!facts) return std::nullopt;
    return *facts && (*facts)->state == SlotState::live &&
           (*facts)->generation == parts->generation;
  }

  void add_tally(std::string what, const Tally& tally, std::string_view text) {
    if (tally.count == 0) return;
    result_.notes.push_back(
        {std::move(what), {}, {}, fmt::format("{} {}; first {}", tally.count, text, tally.first)});
  }

  const TableDiffOptions& options_;
  GroupSide a_;
  GroupSide b_;
  std::vector<ColumnPair> common_;
  SlotLookup slots_of_a_;
  SlotLookup slots_of_b_;
  HandleNamer namer_a_;
  HandleNamer namer_b_;
  TableDiff result_;
  Tally vacant_;
  Tally moved_;
};

}  // namespace

Result<TableDiff> diff_tables(const TableSide& a, const TableSide& b,
                              const TableDiffOptions& options) {
  return TableDiffer(a, b, options).run();
}

}  // namespace hdb::inspect
