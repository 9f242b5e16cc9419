// Makes keys of records, and compares them.
#include "dump/row_order.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "hdb/inspect/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

bool has_order(const Field& field) {
  switch (field.kind) {
    case FieldKind::optional: return has_order(field.children.front());
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
  if (kind == FieldKind::optional)
    return value.children.empty() ? RowOrder::Part() : part_of(value.children.front());
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

Result<RowOrder> RowOrder::bind(const std::vector<std::string>& fields, const Field& root) {
  RowOrder order;
  for (const std::string& field : fields) {
    const bool falls = field.starts_with('-');
    std::string path = field.substr(falls ? 1 : 0);
    const auto place = find_field(root, path);
    if (path.empty() || !place) {
      return fail(ErrorCode::not_found,
                  fmt::format("no field '{}'{}", escape_text(path), near_field_hint(root, path)));
    }
    const bool is_many =
        path.find("[]") != std::string::npos || path.find("[*]") != std::string::npos;
    if (is_many || !has_order(*place->field)) {
      return fail(ErrorCode::type_mismatch,
                  fmt::format("'{}' has no order: numbers and texts have, also [0], one element "
                              "of a list",
                              escape_text(path)));
    }
    for (std::uint32_t i = 0; i < place->column_count; ++i)
      order.columns_.push_back(place->first_column + i);
    order.terms_.push_back({std::move(path), falls});
  }
  return order;
}

RowOrder::Key RowOrder::key_of(const Value& row) const {
  Key key;
  for (const Term& term : terms_) {
    const auto value = find_value(row, term.path);
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
