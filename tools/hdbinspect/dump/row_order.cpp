// Makes keys of records, and compares them.
#include "dump/row_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "dump/selection.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

bool has_order(const Field& field) {
  switch (field.kind) {
    case FieldKind::structure:
    case FieldKind::array:
    case FieldKind::list:
    case FieldKind::map:
    case FieldKind::opaque:
    case FieldKind::handle: return false;
    default: return true;
  }
}

RowOrder::Part part_of(const Value& value) {
  using Rank = RowOrder::Part::Rank;
  const FieldKind kind = value.field->kind;
  if (kind == FieldKind::string) return {Rank::value, 0, std::string(value.text())};
  if (kind != FieldKind::f32 && kind != FieldKind::f64) {
    return {Rank::value,
            is_signed(*value.field)
                ? static_cast<std::uint64_t>(signed_bits(*value.field, value.bits)) ^ kSignBit
                : value.bits};
  }
  const double real = float_value(kind, value.bits);
  if (std::isnan(real)) return {Rank::nan};
  const auto bits = std::bit_cast<std::uint64_t>(real == 0 ? 0.0 : real);  // -0 is 0
  return {Rank::value, (bits & kSignBit) != 0 ? ~bits : bits | kSignBit};
}

}  // namespace

Result<RowOrder> RowOrder::bind(const std::string& fields, const Reader& reader,
                                std::size_t table) {
  const Field& root = reader.schemas()[reader.tables()[table].schema];
  const auto is_name = [&](const std::string& text) {
    return std::any_of(root.children.begin(), root.children.end(),
                       [&](const Field& field) { return field.name == text; });
  };
  const auto parts = is_name(fields) ? std::vector{fields} : dumping::parts_of(fields);
  RowOrder order;
  for (const std::string& part : parts) {
    const bool falls = part.starts_with('-');
    const std::string path = part.substr(falls ? 1 : 0);
    auto value = RecordValue::bind(is_name(path) ? print_field_path({{.name = path}}) : path,
                                   reader, table, dumping::max_followed_bytes() / parts.size());
    if (!value) return fail(std::move(value.error()));
    if (!has_order(value->field())) {
      return fail(ErrorCode::type_mismatch,
                  fmt::format("'{}' has no order: numbers and texts have, also [0], one element "
                              "of a list",
                              escape_text(path)),
                  {}, 0);
    }
    order.columns_.insert(order.columns_.end(), value->columns().begin(), value->columns().end());
    order.terms_.push_back({*std::move(value), falls});
  }
  return order;
}

RowOrder::Key RowOrder::key_of(const RowReader& rows) const {
  Key key;
  for (const Term& term : terms_) {
    const auto value = term.value.find(rows.row(), rows.slot(), rows.generation());
    key.push_back(value ? part_of(*value) : Part());
  }
  return key;
}

int RowOrder::compare(const Key& a, const Key& b) const {
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (a[i].rank != b[i].rank) return a[i].rank < b[i].rank ? -1 : 1;
    int order = a[i].text.compare(b[i].text);
    if (a[i].number != b[i].number) order = a[i].number < b[i].number ? -1 : 1;
    if (order != 0) return (order < 0) != terms_[i].falls ? -1 : 1;
  }
  return 0;
}

}  // namespace hdb::inspect
