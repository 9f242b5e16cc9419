// Tables without a field that can hold the handle are passed over; of the others every record is
// read.
#include "hdb/detail/imgui/reference_search.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "hdb/detail/imgui/row_list.hpp"
#include "hdb/inspect/handle_names.hpp"

namespace hdb::detail::imgui {
namespace {

constexpr std::uint64_t kReadAtOnce = 16;

bool may_hold(const Field& field, const TableDescriptor& target) {
  if (field.kind == FieldKind::handle) return can_name(field, target);
  return std::any_of(field.children.begin(), field.children.end(),
                     [&](const Field& child) { return may_hold(child, target); });
}

bool has_handles(const Field& field) {
  return field.kind == FieldKind::handle ||
         std::any_of(field.children.begin(), field.children.end(), has_handles);
}

// The table whose handles name the record: of a component the owner.
std::size_t issuer_index(const std::vector<LiveTable>& tables, const std::string& name) {
  const auto index_of = [&](const std::string& wanted) {
    const auto found = std::find_if(tables.begin(), tables.end(),
                                    [&](const LiveTable& each) { return each.name() == wanted; });
    return static_cast<std::size_t>(found - tables.begin());
  };
  const std::size_t own = index_of(name);
  if (own == tables.size() || tables[own].descriptor().owner.empty()) return own;
  return index_of(tables[own].descriptor().owner);
}

}  // namespace

void ReferenceSearch::start(Place target) {
  *this = ReferenceSearch();
  target_ = std::move(target);
}

bool ReferenceSearch::is_at_a_table(std::vector<LiveTable>& tables, std::size_t target) {
  while (table_ < tables.size() &&
         (next_ >= tables[table_].position_end() ||
          !may_hold(tables[table_].record(), tables[target].descriptor()))) {
    ++table_;
    next_ = 0;
  }
  is_done_ = table_ == tables.size();
  return !is_done_;
}

void ReferenceSearch::advance(std::vector<LiveTable>& tables, double ms) {
  if (!is_started() || is_done_) return;
  const std::size_t target = issuer_index(tables, target_.table);
  if (target == tables.size()) {
    is_done_ = true;
    return;
  }
  const Deadline deadline(ms);
  while (!is_done_ && is_at_a_table(tables, target)) {
    LiveTable& table = tables[table_];
    read_records(table, target, std::min(table.position_end(), next_ + kReadAtOnce));
    if (deadline.is_over()) break;
  }
}

void ReferenceSearch::read_records(LiveTable& table, std::size_t target, std::uint64_t stop) {
  for (; next_ < stop; ++next_) {
    const std::uint64_t holder = table.handle_at(next_);
    const auto record = holder != 0 ? table.read(holder) : Result<const Value*>(nullptr);
    if (!record || *record == nullptr) continue;
    ++read_;
    steps_.clear();
    look_into(**record, **record, table, target, holder);
  }
  if (found_.size() >= kMaxFound) is_done_ = true;
}

void ReferenceSearch::look_into(const Value& value, const Value& record, const LiveTable& table,
                                std::size_t target, std::uint64_t holder) {
  if (value.field->kind == FieldKind::handle) {
    if (value.bits == target_.handle && found_.size() < kMaxFound &&
        table.namer().table_of(*value.field, value.bits) == std::optional(target)) {
      found_.push_back({{table.name(), holder}, path_of(record, steps_)});
    }
    return;
  }
  if (!has_handles(*value.field)) return;
  const auto look = [&](ValueStep::Kind kind, std::uint64_t number, const Value& part) {
    steps_.push_back({kind, number});
    look_into(part, record, table, target, holder);
    steps_.pop_back();
  };
  if (value.is_packed()) {
    for (std::uint64_t i = 0; i < value.bits; ++i)
      look(ValueStep::Kind::element, i, value.element(i));
    return;
  }
  const FieldKind kind = value.field->kind;
  const auto step = kind == FieldKind::structure ? ValueStep::Kind::field
                    : kind == FieldKind::optional || kind == FieldKind::variant
                        ? ValueStep::Kind::held
                        : ValueStep::Kind::element;
  for (std::size_t i = 0; i < value.children.size(); ++i) look(step, i, value.children[i]);
}

}  // namespace hdb::detail::imgui
