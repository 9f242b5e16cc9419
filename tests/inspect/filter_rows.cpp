// Makes records for filters, and columns of them.
#include "inspect/filter_rows.hpp"

#include <bit>
#include <limits>

#include "format/sample.hpp"
#include "hdb/byte_io.hpp"

namespace hdb::test {

Field filter_schema() {
  Field handle = leaf(FieldKind::handle, "h");
  handle.table = "things";
  return record({leaf(FieldKind::boolean, "b"), leaf(FieldKind::i8, "i"), leaf(FieldKind::i64, "l"),
                 leaf(FieldKind::u64, "u"), leaf(FieldKind::f32, "f"), leaf(FieldKind::f64, "d"),
                 node(FieldKind::enumeration, "e", {leaf(FieldKind::u8)}),
                 leaf(FieldKind::char8, "letter"), handle, leaf(FieldKind::string, "s"),
                 node(FieldKind::structure, "pos", {leaf(FieldKind::f64, "x")}),
                 node(FieldKind::optional, "opt", {leaf(FieldKind::i32)}),
                 node(FieldKind::list, "list", {leaf(FieldKind::i16)}),
                 node(FieldKind::list, "items",
                      {node(FieldKind::structure, "",
                            {leaf(FieldKind::string, "n"), leaf(FieldKind::i32, "k")})}),
                 node(FieldKind::map, "map", {leaf(FieldKind::string), leaf(FieldKind::f32)}),
                 node(FieldKind::variant, "var", {leaf(FieldKind::i32), leaf(FieldKind::string)})});
}

std::vector<TableDescriptor> filter_tables() {
  TableDescriptor table;
  table.name = "things";
  return {table};
}

FilterRecord random_filter_record(std::mt19937& random) {
  const auto one_of = [&]<class T>(std::initializer_list<T> values) {
    return values.begin()[random() % values.size()];
  };
  const auto text = [&] {
    return std::string(one_of({"", "a", "ab", "b", "B", "\xc3\xa9", "a\n"}));
  };
  constexpr std::uint64_t kTwoTo53 = std::uint64_t{1} << 53;
  FilterRecord made;
  made.b = random() % 2 != 0;
  made.i = static_cast<std::int8_t>(static_cast<int>(random() % 5) - 2);
  made.l =
      one_of({std::int64_t{0}, std::int64_t{-1}, static_cast<std::int64_t>(kTwoTo53 + 1),
              -static_cast<std::int64_t>(kTwoTo53 + 1), std::numeric_limits<std::int64_t>::min(),
              std::numeric_limits<std::int64_t>::max()});
  made.u = one_of({std::uint64_t{0}, std::uint64_t{2}, kTwoTo53, kTwoTo53 + 1,
                   std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()});
  made.f =
      one_of({0.0F, -0.0F, 0.1F, 0.5F, -2.0F, 16777216.0F, std::numeric_limits<float>::quiet_NaN(),
              std::numeric_limits<float>::infinity()});
  made.d =
      one_of({0.0, 0.1, double{0.1F}, 2.0, 9007199254740992.0, 9223372036854775808.0,
              18446744073709551616.0, -9223372036854775808.0,
              std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()});
  made.e = static_cast<std::uint8_t>(random() % 3);
  made.letter = one_of({'a', 'b', '\n'});
  made.h = one_of({std::uint64_t{0}, std::uint64_t{1} << 32 | 1, std::uint64_t{2} << 32 | 1});
  made.s = text();
  made.x = one_of({-1.5, 0.0, 3.0});
  if (random() % 2 != 0) made.opt = static_cast<std::int32_t>(random() % 3);
  for (std::size_t n = random() % 4; n != 0; --n)
    made.list.push_back(static_cast<std::int16_t>(static_cast<int>(random() % 5) - 2));
  for (std::size_t n = random() % 3; n != 0; --n)
    made.items.push_back({text(), static_cast<std::int32_t>(random() % 4)});
  for (std::size_t n = random() % 3; n != 0; --n)
    made.map.emplace_back(text(), one_of({0.1F, 1.0F, std::numeric_limits<float>::quiet_NaN()}));
  if (random() % 2 != 0) {
    made.var = static_cast<std::int32_t>(random() % 3);
  } else {
    made.var = text();
  }
  return made;
}

std::vector<Bytes> filter_columns(const std::vector<FilterRecord>& records) {
  std::vector<Bytes> columns(columns_of(filter_schema()).size());
  std::size_t row = 0;
  for (const FilterRecord& each : records) {
    std::size_t column = 0;
    const auto next = [&] { return ByteWriter(columns[column++]); };
    const auto put_text = [](Bytes& lengths, Bytes& bytes, const std::string& text) {
      ByteWriter(lengths).varint(text.size());
      ByteWriter(bytes).raw(bytes_of(text));
    };
    next().u8(each.b ? 1 : 0);
    next().u8(static_cast<std::uint8_t>(each.i));
    next().u64(static_cast<std::uint64_t>(each.l));
    next().u64(each.u);
    next().u32(std::bit_cast<std::uint32_t>(each.f));
    next().u64(std::bit_cast<std::uint64_t>(each.d));
    next().u8(each.e);
    next().u8(static_cast<std::uint8_t>(each.letter));
    next().u64(each.h);
    put_text(columns[column], columns[column + 1], each.s);
    column += 2;
    next().u64(std::bit_cast<std::uint64_t>(each.x));
    if (row % 8 == 0) columns[column].push_back(std::byte{0});
    if (each.opt) columns[column].back() |= static_cast<std::byte>(1U << (row % 8));
    ++column;
    if (each.opt) ByteWriter(columns[column]).u32(static_cast<std::uint32_t>(*each.opt));
    ++column;
    next().varint(each.list.size());
    for (const std::int16_t value : each.list)
      ByteWriter(columns[column]).u16(static_cast<std::uint16_t>(value));
    ++column;
    next().varint(each.items.size());
    for (const FilterItem& item : each.items) {
      put_text(columns[column], columns[column + 1], item.n);
      ByteWriter(columns[column + 2]).u32(static_cast<std::uint32_t>(item.k));
    }
    column += 3;
    next().varint(each.map.size());
    for (const auto& [key, value] : each.map) {
      put_text(columns[column], columns[column + 1], key);
      ByteWriter(columns[column + 2]).u32(std::bit_cast<std::uint32_t>(value));
    }
    column += 3;
    next().u8(static_cast<std::uint8_t>(each.var.index()));
    if (const auto* const number = std::get_if<std::int32_t>(&each.var)) {
      ByteWriter(columns[column]).u32(static_cast<std::uint32_t>(*number));
    } else {
      put_text(columns[column + 1], columns[column + 2], std::get<std::string>(each.var));
    }
    ++row;
  }
  return columns;
}

}  // namespace hdb::test
