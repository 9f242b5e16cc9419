// Passes over the positions of a table, a slice in each frame.
#include "hdb/detail/imgui/row_list.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <tuple>
#include <utility>

#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/table_options.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb::detail::imgui {
namespace {

// How often the clock is read: reading a record takes microseconds, a position nanoseconds.
constexpr std::uint64_t kRecordsAtOnce = 16;
constexpr std::uint64_t kPositionsAtOnce = 1024;
// Longer texts are sorted by their begin.
constexpr std::uint64_t kSortedBytes = 64;
// A pass that only keeps rows up to date takes this part of the time.
constexpr double kUpkeep = 0.1;

// A word alone is a text to search for, not a bool field.
bool is_comparison(const FilterExpression& expression) {
  const FilterNode& root = expression.root();
  return root.kind != FilterNode::Kind::truth;
}

// A number that rises with the handle.
std::uint64_t ascending(const HandleLayout& layout, std::uint64_t bits) noexcept {
  const auto parts = split_handle(layout, bits);
  if (!parts) return bits;
  return ((std::uint64_t{parts->type_id} << layout.index_bits | parts->index)
          << layout.generation_bits) |
         parts->generation;
}
// The same for the value of a field: unsigned order is the order of the values.
std::uint64_t ascending(const Field& field, std::uint64_t bits) noexcept {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  if (field.kind == FieldKind::handle) return ascending(field.layout, bits);
  if (field.kind == FieldKind::f32 || field.kind == FieldKind::f64) {
    const auto real = std::bit_cast<std::uint64_t>(float_value(field.kind, bits));
    return (real & kTop) != 0 ? ~real : real | kTop;
  }
  return is_signed(field) ? static_cast<std::uint64_t>(signed_bits(field, bits)) ^ kTop : bits;
}

bool has_operator(std::string_view text) { return text.find_first_of("<>=~") != text.npos; }

}  // namespace

bool contains_any_case(std::string_view text, std::string_view part) noexcept {
  const auto found = std::search(text.begin(), text.end(), part.begin(), part.end(),
                                 [](char a, char b) { return lower_ascii(a) == lower_ascii(b); });
  return found != text.end() || part.empty();
}

void RowList::start(std::string_view filter) {
  const std::string text(filter);  // it may be that of *this
  *this = RowList();
  filter_ = text;
}

void RowList::sort(const RowOrder& order) {
  if (order == order_) return;
  order_ = order;
  is_complete_ = false;
  next_ = 0;
  shown_.clear();
  coming_.clear();
  heap_.clear();
}

RowList::Row RowList::row_at(LiveTable& table, std::uint64_t handle) const {
  Row row;
  row.position = next_;
  row.handle = handle;
  if (order_.by == RowOrder::By::handle)
    row.number = ascending(table.descriptor().policy.layout, handle);
  if (order_.by == RowOrder::By::name) row.text = table.name_of(handle);
  if (order_.by != RowOrder::By::field) return row;
  const auto record = table.read(handle);
  if (!record || order_.field >= (*record)->children.size()) return row;
  const Value* value = &(*record)->children[order_.field];
  if (value->field->kind == FieldKind::optional && value->children.size() == 1)
    value = &value->children[0];
  if (value->field->kind == FieldKind::string) {
    row.text = value->text().substr(0, kSortedBytes);
  } else if (value->field->kind < FieldKind::string) {
    row.number = ascending(*value->field, value->bits);
  } else if (value->field->kind != FieldKind::optional) {
    row.text = value_text(*value, table.namer(), kSortedBytes);
  }
  return row;
}

bool RowList::comes_later(const Row& a, const Row& b) const noexcept {
  const auto order = std::tie(a.number, a.text) <=> std::tie(b.number, b.text);
  if (order == 0) return a.position > b.position;
  return order_.is_descending ? order < 0 : order > 0;
}

void RowList::bind(const LiveTable& table, const std::vector<TableDescriptor>& tables) {
  is_bound_ = true;
  if (filter_.empty()) return;
  const auto parsed = FilterExpression::parse(filter_);
  if (!parsed || !is_comparison(*parsed)) {
    if (!parsed && has_operator(filter_)) problem_ = escape_text(parsed.error().what);
    return;
  }
  auto bound = RecordFilter::bind(*parsed, table.record(), tables);
  if (bound) {
    expression_ = *std::move(bound);
  } else if (has_operator(filter_)) {
    problem_ = escape_text(bound.error().what);
  }
}

bool RowList::is_direct(const LiveTable& table) const noexcept {
  return filter_.empty() && !is_sorted() && table.size() == table.position_end();
}

bool RowList::matches(LiveTable& table, std::uint64_t handle) const {
  if (filter_.empty()) return true;
  const auto record = table.read(handle);
  if (!record) return false;
  if (expression_) {
    const auto parts = split_handle(table.descriptor().policy.layout, handle);
    return parts && expression_->matches(**record, parts->index, parts->generation);
  }
  return contains_any_case(table.name_of(handle), filter_) ||
         contains_any_case(value_text(**record, table.namer()), filter_);
}

void RowList::advance(LiveTable& table, const std::vector<TableDescriptor>& tables, double ms) {
  if (!is_bound_) bind(table, tables);
  if (!problem_.empty() || is_direct(table)) {
    is_complete_ = true;
    shown_.clear();
    coming_.clear();
    heap_.clear();
    next_ = 0;
    return;
  }
  const Deadline deadline(is_complete_ ? ms * kUpkeep : ms);
  do {
    take_slice(table);
    if (next_ < table.position_end() || !heap_.empty()) continue;
    if (is_complete_ || is_sorted()) shown_ = std::exchange(coming_, {});
    is_complete_ = true;
    next_ = 0;
    return;
  } while (!deadline.is_over());
}

// Reads the next records, or after the last one takes the next rows from the heap.
void RowList::take_slice(LiveTable& table) {
  const auto later = [this](const Row& a, const Row& b) { return comes_later(a, b); };
  const std::uint64_t end = table.position_end();
  const bool reads_records = !filter_.empty() || is_sorted();
  const std::uint64_t stop =
      std::min(end, next_ + (reads_records ? kRecordsAtOnce : kPositionsAtOnce));
  for (; next_ < stop; ++next_) {
    const std::uint64_t handle = table.handle_at(next_);
    if (handle == 0 || !matches(table, handle)) continue;
    if (!is_complete_ || !is_sorted()) (is_complete_ ? coming_ : shown_).push_back(handle);
    if (!is_sorted()) continue;
    heap_.push_back(row_at(table, handle));
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  for (std::uint64_t i = 0; next_ >= end && i < kRecordsAtOnce && !heap_.empty(); ++i) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    coming_.push_back(heap_.back().handle);
    heap_.pop_back();
  }
}

std::uint64_t RowList::size(const LiveTable& table) const noexcept {
  if (!problem_.empty()) return 0;
  return is_direct(table) ? table.position_end() : shown_.size();
}

std::uint64_t RowList::handle_at(const LiveTable& table, std::uint64_t row) const noexcept {
  if (row >= size(table)) return 0;
  return is_direct(table) ? table.handle_at(row) : shown_[static_cast<std::size_t>(row)];
}

std::optional<std::uint64_t> RowList::row_of(const LiveTable& table,
                                             std::uint64_t handle) const noexcept {
  std::uint64_t row = table.position_of(handle);
  if (!is_direct(table))
    row = static_cast<std::uint64_t>(std::find(shown_.begin(), shown_.end(), handle) -
                                     shown_.begin());
  if (row >= size(table)) return std::nullopt;
  return row;
}

}  // namespace hdb::detail::imgui
