// Compares two tables slot by slot, whatever they are read from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "inspect/diff/compare_rules.hpp"
#include "inspect/diff/table_side.hpp"

namespace hdb::diffing {

/// The filter of a comparison, bound to both sides; nothing on a side that lacks its fields.
struct SideFilters {
  bool wanted = false;
  std::optional<RecordFilter> a;
  std::optional<RecordFilter> b;
};

/// Binds the options' filter to the tables of both sides; either may be missing.
/// Errors: those of the filter, when it fits neither side.
[[nodiscard]] HDB_INSPECT_API Result<SideFilters> bind_filters(const DiffOptions& options,
                                                               const TableSide* a,
                                                               const TableSide* b);

/// Takes the slots that may differ in rising order, and adds what differs to a TableDiff.
class HDB_INSPECT_API SlotDiff {
 public:
  SlotDiff(TableSide& a, TableSide& b, const DiffOptions& options, const SideFilters& filters,
           TableDiff& result);

  [[nodiscard]] Status compare(std::uint64_t slot);
  /// Differences met so far.
  [[nodiscard]] std::uint64_t count() const noexcept {
    return result_.records() + vacant_.count + moved_.count;
  }
  [[nodiscard]] const FieldRules& rules() const noexcept { return rules_; }
  /// Adds what differs outside of the records. `free_lists`: whether those may differ.
  [[nodiscard]] Status finish(bool free_lists = true);

 private:
  // The first of many small differences, and how many there are.
  struct Tally {
    std::uint64_t count = 0;
    std::string first;
    template <class Describe>
    void add(const Describe& describe) {
      if (count++ == 0) first = describe();
    }
  };

  [[nodiscard]] bool is_meant(std::uint64_t slot, const SlotView& in_a, const SlotView& in_b) const;
  void compare_rows(std::uint64_t slot, std::uint32_t generation);
  void report(DiffMark mark, std::uint64_t slot, std::uint32_t old_generation,
              std::uint32_t new_generation, std::vector<FieldChange> fields = {});
  [[nodiscard]] bool are_details_wanted() const noexcept;
  [[nodiscard]] FieldChange field_change(const std::string& path, const Value* a, const Value* b);
  [[nodiscard]] std::string text_of(const Value& value, const HandleNamer& namer) const;
  void add_tally(std::string what, const Tally& tally, const std::string& text);

  TableSide& a_;
  TableSide& b_;
  const DiffOptions& options_;
  const SideFilters& filters_;
  FieldRules rules_;
  TableDiff& result_;
  HandleNamer namer_a_;
  HandleNamer namer_b_;
  Tally vacant_;
  Tally moved_;
};

/// The differences of two descriptors: policies, counters, slots.
[[nodiscard]] std::vector<TableNote> database_notes(const DatabaseDescriptor& a,
                                                    const DatabaseDescriptor& b);
[[nodiscard]] std::vector<TableNote> descriptor_notes(const TableDescriptor& a,
                                                      const TableDescriptor& b);
/// The difference of two free lists, or lists of holes, if there is one.
[[nodiscard]] std::optional<TableNote> free_list_note(const std::vector<std::uint32_t>& a,
                                                      const std::vector<std::uint32_t>& b,
                                                      bool holes);

}  // namespace hdb::diffing
