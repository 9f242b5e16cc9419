// Encodes and decodes vectors of records, for the tests of the record layer.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hdb/detail/record/make_codec.hpp"
#include "record/codec.hpp"
#include "record/decoder.hpp"
#include "support/row_hash.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

inline std::string no_table(HandleKey) { return {}; }

/// Records as a file would hold them.
struct Encoded {
  Field schema;
  std::vector<Bytes> columns;
  Hash128 hash;
  std::size_t count = 0;
};

/// Slot of row i: not i itself, so that a mix-up shows.
inline std::uint32_t slot_of(std::size_t i) { return static_cast<std::uint32_t>(3 * i + 5); }
inline std::uint32_t generation_of(std::size_t i) { return static_cast<std::uint32_t>(i + 1); }

struct Batch {
  std::vector<const void*> records;
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> generations;
  operator RecordBatch() const {
    return {records, slots, generations, {}, nullptr};
  }  // NOLINT(google-explicit-constructor): a view
};

template <class R>
Batch batch_of(const std::vector<R>& records) {
  Batch batch;
  for (std::size_t i = 0; i < records.size(); ++i) {
    batch.records.push_back(&records[i]);
    batch.slots.push_back(slot_of(i));
    batch.generations.push_back(generation_of(i));
  }
  return batch;
}

inline Field must(Result<Field> schema) {
  EXPECT_TRUE(schema.has_value()) << (schema ? "" : schema.error().message());
  return schema ? *schema : Field{};
}

template <class R>
Result<Encoded> try_encode(const std::vector<R>& records, const TableNamer& namer = no_table) {
  const auto codec = make_codec<R>();
  Result<Field> schema = codec->schema(namer);
  if (!schema) return fail(schema.error());
  Encoded out{*schema, std::vector<Bytes>(columns_of(*schema).size()), {}, records.size()};
  if (Status status = codec->encode(batch_of(records), out.columns, &out.hash); !status)
    return fail(status.error());
  return out;
}

template <class R>
Encoded encode(const std::vector<R>& records, const TableNamer& namer = no_table) {
  Result<Encoded> out = try_encode(records, namer);
  EXPECT_TRUE(out.has_value()) << (out ? "" : out.error().message());
  return out ? *out : Encoded{};
}

inline constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

template <class R>
Result<std::vector<R>> try_decode(const Encoded& from, std::uint64_t budget_bytes = kPlenty,
                                  const TableNamer& namer = no_table) {
  auto decoder = make_codec<R>()->decoder_for(from.schema, namer);
  if (!decoder) return fail(decoder.error());
  std::vector<R> records(from.count);
  std::vector<void*> places;
  for (R& record : records) places.push_back(&record);
  MemoryBudget budget(budget_bytes);
  if (Status status = (*decoder)->decode(from.columns, places, budget); !status)
    return fail(status.error());
  return records;
}

template <class R>
std::vector<R> decode(const Encoded& from) {
  Result<std::vector<R>> records = try_decode<R>(from);
  EXPECT_TRUE(records.has_value()) << (records ? "" : records.error().message());
  return records ? *records : std::vector<R>(from.count);
}

/// A record of one field.
template <class T>
struct V {
  T v{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(v));
  }
};

/// `value`, saved by a program whose field is a From and loaded by one whose field is a To.
template <class To, class From>
Result<To> converted(From value) {
  auto back = try_decode<V<To>>(encode(std::vector<V<From>>{{From{}}, {value}}));
  if (!back) return fail(back.error());
  return (*back)[1].v;
}
template <class To, class From>
ErrorCode failure(From value) {
  const auto result = converted<To>(value);
  EXPECT_FALSE(result.has_value());
  return result ? ErrorCode{} : result.error().code;
}

/// The fields that changed in this way.
inline std::vector<std::string> fields_of(const RecordDecoder& decoder, LoadChange::Kind kind) {
  std::vector<std::string> fields;
  for (const LoadChange& change : decoder.changes()) {
    if (change.kind == kind) fields.push_back(change.field);
  }
  return fields;
}

/// What to_text says of each change in a load of the records.
template <class R>
std::vector<std::string> changes_of(const Encoded& from) {
  auto decoder = make_codec<R>()->decoder_for(from.schema, no_table);
  EXPECT_TRUE(decoder.has_value()) << (decoder ? "" : decoder.error().message());
  std::vector<std::string> texts;
  if (!decoder) return texts;
  std::vector<R> records(from.count);
  std::vector<void*> places;
  for (R& record : records) places.push_back(&record);
  MemoryBudget budget(kPlenty);
  const Status status = (*decoder)->decode(from.columns, places, budget);
  EXPECT_TRUE(status.has_value()) << (status ? "" : status.error().message());
  for (const LoadChange& change : (*decoder)->changes()) texts.push_back(to_text(change));
  return texts;
}

/// The one-line type of R's schema.
template <class R>
std::string schema_text() {
  return type_text(must(make_codec<R>()->schema(no_table)));
}

/// Why R is refused; empty when it is not.
template <class R>
std::string refusal_of() {
  const auto schema = make_codec<R>()->schema(no_table);
  if (schema) return {};
  EXPECT_EQ(schema.error().code, ErrorCode::refused_type);
  return schema.error().message();
}

template <class... Is>
Bytes bytes(Is... values) {
  return Bytes{static_cast<std::byte>(values)...};
}

inline std::string hex(const Bytes& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    if (!text.empty()) text += ' ';
    text += kDigits[std::to_integer<unsigned>(byte) >> 4];
    text += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

/// The columns as lines of hexadecimal.
inline std::vector<std::string> hex(const std::vector<Bytes>& columns) {
  std::vector<std::string> lines;
  for (const Bytes& column : columns) lines.push_back(hex(column));
  return lines;
}

}  // namespace hdb::test
