// Rules from a schema, and columns against rules.
#include "format/columns/grammar.hpp"

#include "format/columns/column_scan.hpp"
#include "hdb/bytes.hpp"
#include "hdb/inspect/checks.hpp"

namespace hdb::format {
namespace {

std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  return a == kTooMany || (b != 0 && a > kTooMany / b) ? kTooMany : a * b;
}

}  // namespace

Grammar::Grammar(const Field& root) {
  counts_.push_back({0, 0, 0});
  visit(root, 0);
  for (Column& column : columns_of(root)) paths_.push_back(std::move(column.path));
}

std::uint32_t Grammar::make_counts(std::size_t outs) {
  const auto first = static_cast<std::uint32_t>(counts_.size());
  const auto column = static_cast<std::uint32_t>(rules_.size());  // of the rule just pushed, + 1
  counts_.insert(counts_.end(), outs, Count{column, 0, 0});
  rules_.back().first_out = first;
  rules_.back().outs = static_cast<std::uint32_t>(outs);
  return first;
}

void Grammar::visit(const Field& field, std::uint32_t count) {
  const auto rule = [&](ColumnRole role, std::uint32_t of, unsigned width = 1) {
    rules_.push_back({role, width, field.kind, field.utf8_checked, of, 0, 0});
  };
  switch (field.kind) {
    case FieldKind::structure:
      for (const Field& child : field.children) visit(child, count);
      return;
    case FieldKind::array: {
      const auto elements = static_cast<std::uint32_t>(counts_.size());
      counts_.push_back({0, count, field.count});
      visit(field.children.front(), elements);
      return;
    }
    case FieldKind::string:
    case FieldKind::opaque: {
      rule(ColumnRole::lengths, count);
      const std::uint32_t bytes = make_counts(1);
      rule(ColumnRole::bytes, bytes);
      return;
    }
    case FieldKind::list:
    case FieldKind::map: {
      rule(ColumnRole::lengths, count);
      const std::uint32_t elements = make_counts(1);
      for (const Field& child : field.children) visit(child, elements);
      return;
    }
    case FieldKind::optional:
      rule(ColumnRole::presence, count);
      visit(field.children.front(), make_counts(1));
      return;
    case FieldKind::variant: {
      rule(ColumnRole::tags, count);
      const std::uint32_t first = make_counts(field.children.size());
      for (std::size_t i = 0; i < field.children.size(); ++i) {
        visit(field.children[i], first + static_cast<std::uint32_t>(i));
      }
      return;
    }
    default: rule(ColumnRole::values, count, fixed_width(field)); return;
  }
}

void Grammar::add_needed(std::uint32_t column, std::vector<bool>& wanted) const {
  wanted[column] = true;
  for (std::uint32_t count = rules_[column].count; count != 0;) {
    const Count& made = counts_[count];
    if (made.made_by == 0) {
      count = made.multiple_of;
    } else {
      if (wanted[made.made_by - 1]) return;
      wanted[made.made_by - 1] = true;
      count = rules_[made.made_by - 1].count;
    }
  }
}

GroupCheck::GroupCheck(const Grammar& grammar, std::uint64_t live_count)
    : grammar_(grammar), values_(grammar.counts().size(), 0) {
  values_[0] = live_count;
}

std::uint64_t GroupCheck::value(std::uint32_t count) const noexcept {
  const Grammar::Count& made = grammar_.counts()[count];
  if (made.factor == 0) return values_[count];
  return times(value(made.multiple_of), made.factor);
}

std::uint64_t GroupCheck::least_size(std::size_t column) const {
  const Grammar::Rule& rule = grammar_.rules()[column];
  const std::uint64_t count = value(rule.count);
  if (rule.role == ColumnRole::presence) return count / 8 + (count % 8 != 0 ? 1 : 0);
  return times(count, rule.width);
}

Status GroupCheck::check_size(std::size_t column, std::uint64_t raw_bytes) const {
  const Grammar::Rule& rule = grammar_.rules()[column];
  const std::uint64_t count = value(rule.count);
  const std::uint64_t least = least_size(column);
  const std::uint64_t most =
      rule.role == ColumnRole::lengths ? times(count, kMaxVarintBytes) : least;
  if (least != kTooMany && raw_bytes >= least && raw_bytes <= most) return {};
  return fail(ErrorCode::bad_lengths,
              std::to_string(raw_bytes) + " bytes do not fit " + std::to_string(count) + " values",
              "column '" + grammar_.path(column) + "'");
}

Status GroupCheck::accept(std::size_t column, std::span<const std::byte> bytes,
                          std::span<const std::byte> lengths) {
  if (Status status = check_size(column, bytes.size()); !status) return status;
  const Grammar::Rule& rule = grammar_.rules()[column];
  const auto refuse = [&](ErrorCode code, const char* what) -> Status {
    return fail(code, what, "column '" + grammar_.path(column) + "'");
  };
  if (rule.accepts_any_bytes()) return {};
  switch (rule.role) {
    case ColumnRole::values:
      if (!are_bools(bytes)) {
        return refuse(ErrorCode::bad_value, "a bool is neither 0 nor 1");
      }
      return {};
    case ColumnRole::lengths: {
      const auto sum = sum_varints(bytes, value(rule.count));
      if (!sum)
        return refuse(ErrorCode::bad_lengths,
                      "a length is cut off, too large, or not in its shortest form");
      values_[rule.first_out] = *sum;
      return {};
    }
    case ColumnRole::bytes:
      if (!are_utf8(bytes, lengths)) {
        return refuse(ErrorCode::bad_value, "a string is not UTF-8");
      }
      return {};
    case ColumnRole::presence: {
      const auto present = count_present(bytes, value(rule.count));
      if (!present)
        return refuse(ErrorCode::bad_value, "the presence bitmap has bits set after its end");
      values_[rule.first_out] = *present;
      return {};
    }
    case ColumnRole::tags:
      if (!count_tags(bytes, std::span(values_).subspan(rule.first_out, rule.outs))) {
        return refuse(ErrorCode::bad_value,
                      "the tag of a variant does not name one of its alternatives");
      }
      return {};
  }
  return {};
}

Status check_columns(const Grammar& grammar, const RowGroup& group, std::uint64_t live_count) {
  if (group.columns.size() != grammar.rules().size()) {
    return fail(ErrorCode::bad_lengths, std::to_string(group.columns.size()) +
                                            " columns, the schema has " +
                                            std::to_string(grammar.rules().size()));
  }
  GroupCheck check(grammar, live_count);
  for (std::size_t i = 0; i < group.columns.size(); ++i) {
    const auto lengths =
        i == 0 ? std::span<const std::byte>{} : std::span<const std::byte>(group.columns[i - 1]);
    if (Status status = check.accept(i, group.columns[i], lengths); !status) return status;
  }
  return {};
}

}  // namespace hdb::format

namespace hdb {

Status check_group(const Field& root, const RowGroup& group) {
  return format::check_columns(format::Grammar(root), group, group.live_count());
}

}  // namespace hdb
