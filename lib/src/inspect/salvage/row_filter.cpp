// Rows in a run stand together in every column, so that each column is passed piece by piece.
#include "inspect/salvage/row_filter.hpp"

#include <utility>

namespace hdb::salvaging {

RowFilter::RowFilter(const Field& root) : root_(root), cursors_(columns_of(root).size()) {}

Status RowFilter::apply(const std::vector<bool>& keep, std::vector<Bytes>& columns) {
  failed_ = columns.size() != cursors_.size();
  for (Cursor& cursor : cursors_) cursor = {};
  columns_ = &columns;
  for (std::size_t i = 0; i < keep.size() && !failed_;) {
    std::size_t end = i + 1;
    while (end < keep.size() && keep[end] == keep[i]) ++end;
    std::uint32_t column = 0;
    pass(root_, column, end - i, keep[i]);
    i = end;
  }
  if (failed_)
    return fail(ErrorCode::bad_lengths, "the columns have fewer values than the table has rows",
                "salvage");
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = std::move(cursors_[i].out);
  return {};
}

void RowFilter::pass(const Field& field, std::uint32_t& column, std::uint64_t count, bool keep) {
  switch (field.kind) {
    case FieldKind::structure:
      for (const Field& child : field.children) pass(child, column, count, keep);
      return;
    case FieldKind::array: return pass(field.children.front(), column, count * field.count, keep);
    case FieldKind::string:
    case FieldKind::opaque: {
      const std::uint64_t size = pass_lengths(column, count, keep);
      pass_bytes(column + 1, size, keep);
      column += 2;
      return;
    }
    case FieldKind::list:
    case FieldKind::map: {
      const std::uint64_t elements = pass_lengths(column++, count, keep);
      for (const Field& child : field.children) pass(child, column, elements, keep);
      return;
    }
    case FieldKind::optional: {
      const std::uint64_t held = pass_bits(column++, count, keep);
      return pass(field.children.front(), column, held, keep);
    }
    case FieldKind::variant: {
      const auto counts = pass_tags(column++, count, field.children.size(), keep);
      for (std::size_t i = 0; i < field.children.size(); ++i)
        pass(field.children[i], column, counts[i], keep);
      return;
    }
    default: pass_bytes(column++, count * fixed_width(field), keep);
  }
}

void RowFilter::pass_bytes(std::uint32_t column, std::uint64_t size, bool keep) {
  const Bytes& bytes = (*columns_)[column];
  Cursor& cursor = cursors_[column];
  if (failed_ || size > bytes.size() - cursor.position) {
    failed_ = true;
    return;
  }
  const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(cursor.position);
  if (keep) cursor.out.insert(cursor.out.end(), from, from + static_cast<std::ptrdiff_t>(size));
  cursor.position += size;
}

std::uint64_t RowFilter::pass_lengths(std::uint32_t column, std::uint64_t count, bool keep) {
  const Bytes& bytes = (*columns_)[column];
  const std::byte* const begin = bytes.data() + cursors_[column].position;
  const std::byte* const end = bytes.data() + bytes.size();
  const std::byte* at = begin;
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count && !failed_; ++i) {
    std::uint64_t length = 0;
    at = load_varint(at, end, length);
    if (at == nullptr) {
      failed_ = true;
      return 0;
    }
    sum += length;
  }
  if (!failed_) pass_bytes(column, static_cast<std::uint64_t>(at - begin), keep);
  return failed_ ? 0 : sum;
}

std::uint64_t RowFilter::pass_bits(std::uint32_t column, std::uint64_t count, bool keep) {
  const Bytes& bytes = (*columns_)[column];
  Cursor& cursor = cursors_[column];
  if (failed_ || count > std::uint64_t{bytes.size()} * 8 - cursor.position) {
    failed_ = true;
    return 0;
  }
  std::uint64_t held = 0;
  for (std::uint64_t i = 0; i < count; ++i, ++cursor.position) {
    const bool bit =
        (std::to_integer<unsigned>(bytes[static_cast<std::size_t>(cursor.position / 8)]) >>
             (cursor.position % 8) &
         1U) != 0;
    held += bit ? 1 : 0;
    if (!keep) continue;
    if (cursor.out_bits % 8 == 0) cursor.out.push_back(std::byte{0});
    if (bit) cursor.out.back() |= std::byte{1} << (cursor.out_bits % 8);
    ++cursor.out_bits;
  }
  return held;
}

std::vector<std::uint64_t> RowFilter::pass_tags(std::uint32_t column, std::uint64_t count,
                                                std::size_t alternatives, bool keep) {
  std::vector<std::uint64_t> counts(alternatives);
  const Bytes& bytes = (*columns_)[column];
  const std::uint64_t first = cursors_[column].position;
  if (failed_ || count > bytes.size() - first) {
    failed_ = true;
    return counts;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto tag = std::to_integer<std::size_t>(bytes[static_cast<std::size_t>(first + i)]);
    if (tag >= alternatives) {
      failed_ = true;
      return counts;
    }
    ++counts[tag];
  }
  pass_bytes(column, count, keep);
  return counts;
}

}  // namespace hdb::salvaging
