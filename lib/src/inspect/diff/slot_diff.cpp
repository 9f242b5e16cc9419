// Slots of two tables side by side.
#include "inspect/diff/slot_diff.hpp"

#include <utility>

#include "base/using_detail.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/translate_handle.hpp"
#include "inspect/diff/value_diff.hpp"

namespace hdb::diffing {
namespace {

// Whether a handle value names a live record; nothing if that is unknown.
std::optional<bool> is_live(TableSide& side, const HandleNamer& namer, const Value& value) {
  const auto parts = split_handle(value.field->layout, value.bits);
  const auto table = namer.table_of(*value.field, value.bits);
  if (value.bits == 0 || !parts || !table) return std::nullopt;
  const auto facts = side.find_slot(*table, parts->index);
  if (!facts) return std::nullopt;
  return facts->state == SlotState::live && facts->generation == parts->generation;
}

std::string vacant_text(const SlotView& slot) {
  return std::string(state_name(slot.state)) + " @" + std::to_string(slot.generation);
}

}  // namespace

Result<SideFilters> bind_filters(const DiffOptions& options, const TableSide* a,
                                 const TableSide* b) {
  SideFilters filters;
  if (!options.where) return filters;
  filters.wanted = true;
  std::optional<Error> error;
  const auto bind = [&](const TableSide* side, std::optional<RecordFilter>& filter) {
    if (side == nullptr) return;
    auto bound = RecordFilter::bind(*options.where, side->root(), side->tables());
    if (bound) {
      filter = *std::move(bound);
    } else if (!error) {
      error = std::move(bound.error());
    }
  };
  bind(a, filters.a);
  bind(b, filters.b);
  if (!filters.a && !filters.b && error) return fail(*std::move(error));
  return filters;
}

SlotDiff::SlotDiff(TableSide& a, TableSide& b, const DiffOptions& options,
                   const SideFilters& filters, TableDiff& result)
    : a_(a),
      b_(b),
      options_(options),
      filters_(filters),
      rules_(make_rules(options, result.name, a.root())),
      result_(result),
      namer_a_(a.tables()),
      namer_b_(b.tables()) {}

Status SlotDiff::compare(std::uint64_t slot) {
  auto in_a = a_.take_slot(slot);
  if (!in_a) return fail(std::move(in_a.error()));
  auto in_b = b_.take_slot(slot);
  if (!in_b) return fail(std::move(in_b.error()));
  const bool live_a = in_a->is_live();
  const bool live_b = in_b->is_live();
  if (filters_.wanted && !is_meant(slot, *in_a, *in_b)) return {};
  if (live_a && live_b && in_a->generation == in_b->generation) {
    compare_rows(slot, in_a->generation);
    if (filters_.wanted || in_a->position == in_b->position) return {};
    moved_.add([&] {
      return handle_name(a_.table(), slot, in_a->generation) + ": position " +
             std::to_string(in_a->position) + " -> " + std::to_string(in_b->position);
    });
  } else if (live_a && live_b) {
    ++result_.reused;
    report(DiffMark::reused, slot, in_a->generation, in_b->generation);
  } else if (live_a) {
    ++result_.removed;
    report(DiffMark::removed, slot, in_a->generation, 0);
  } else if (live_b) {
    ++result_.added;
    report(DiffMark::added, slot, 0, in_b->generation);
  } else if (in_a->exists && in_b->exists &&
             (in_a->state != in_b->state || in_a->generation != in_b->generation)) {
    vacant_.add([&] {
      return "slot " + std::to_string(slot) + ": " + vacant_text(*in_a) + " -> " +
             vacant_text(*in_b);
    });
  }
  return {};
}

bool SlotDiff::is_meant(std::uint64_t slot, const SlotView& in_a, const SlotView& in_b) const {
  return (in_a.is_live() && filters_.a && filters_.a->matches(a_.row(), slot, in_a.generation)) ||
         (in_b.is_live() && filters_.b && filters_.b->matches(b_.row(), slot, in_b.generation));
}

void SlotDiff::compare_rows(std::uint64_t slot, std::uint32_t generation) {
  CompareRules rules{&rules_, false, options_.nan_equal};
  if (equal_values(a_.row(), b_.row(), rules)) return;
  rules.tolerant = true;
  if (!rules.are_exact() && equal_values(a_.row(), b_.row(), rules)) {
    ++result_.within_tolerance;
    return;
  }
  ++result_.changed;
  std::vector<FieldChange> fields;
  if (options_.fields && are_details_wanted()) {
    for_each_difference(
        a_.row(), b_.row(), {},
        [&](const std::string& path, const Value* a, const Value* b) {
          fields.push_back(field_change(path, a, b));
        },
        rules);
  }
  report(DiffMark::changed, slot, generation, generation, std::move(fields));
}

bool SlotDiff::are_details_wanted() const noexcept {
  return options_.records && (options_.on_record || result_.details.size() < options_.max_details);
}

void SlotDiff::report(DiffMark mark, std::uint64_t slot, std::uint32_t old_generation,
                      std::uint32_t new_generation, std::vector<FieldChange> fields) {
  if (!are_details_wanted()) return;
  RecordDiff record{mark, result_.name, slot, old_generation, new_generation, std::move(fields)};
  record.owner = (mark == DiffMark::removed ? a_ : b_).table().owner;
  if (options_.on_record) {
    options_.on_record(record);
  } else {
    result_.details.push_back(std::move(record));
  }
}

std::string SlotDiff::text_of(const Value& value, const HandleNamer& namer) const {
  return options_.json ? value_json(value, namer, options_.max_value_bytes)
                       : value_text(value, namer, options_.max_value_bytes);
}

FieldChange SlotDiff::field_change(const std::string& path, const Value* a, const Value* b) {
  FieldChange change;
  change.path = path;
  if (a != nullptr) change.old_value = text_of(*a, namer_a_);
  if (b != nullptr) change.new_value = text_of(*b, namer_b_);
  if (a != nullptr && b != nullptr) change.change = difference_text(*a, *b);
  if (a != nullptr && a->field->kind == FieldKind::handle && is_live(a_, namer_a_, *a) == true &&
      is_live(b_, namer_b_, *a) == false) {
    change.note = namer_a_.name(*a->field, a->bits) + " was removed";
  } else if (b != nullptr && b->field->kind == FieldKind::handle && b->bits != 0 &&
             is_live(b_, namer_b_, *b) == false) {
    change.note = namer_b_.name(*b->field, b->bits) + " is stale";
  }
  return change;
}

void SlotDiff::add_tally(std::string what, const Tally& tally, const std::string& text) {
  if (tally.count == 0) return;
  result_.notes.push_back({std::move(what),
                           {},
                           {},
                           std::to_string(tally.count) + ' ' + text + "; first " + tally.first});
}

Status SlotDiff::finish(bool free_lists) {
  if (filters_.wanted) return {};
  result_.notes = descriptor_notes(a_.table(), b_.table());
  if (free_lists) {
    const auto list_a = a_.free_list();
    if (!list_a) return fail(list_a.error());
    const auto list_b = b_.free_list();
    if (!list_b) return fail(list_b.error());
    const bool holes = a_.table().policy.is_component && b_.table().policy.is_component;
    if (auto note = free_list_note(*list_a, *list_b, holes))
      result_.notes.push_back(*std::move(note));
  }
  add_tally("vacant slots", vacant_, "differ in state or generation");
  add_tally("dense order", moved_, "records are at another position");
  return {};
}

}  // namespace hdb::diffing
