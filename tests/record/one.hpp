// A record of one field, and what must hold for every type of field.
#pragma once

#include "helpers.hpp"

namespace hdb::test {

/// A record of one field.
template <class T>
struct One {
  T v{};
  friend bool operator==(const One&, const One&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(v));
  }
};

/// Checks the schema of a field of type T and that the values come back, through columns and
/// through opaque bytes.
template <class T>
void check(const std::string& type, std::vector<T> values) {
  values.insert(values.begin(), T{});
  EXPECT_EQ(schema_text<One<T>>(), "{v: " + type + "}");
  std::vector<One<T>> records;
  for (const T& value : values) records.push_back({value});
  const Encoded encoded = encode(records);
  EXPECT_TRUE(check_schema(encoded.schema).has_value());
  EXPECT_EQ(decode<One<T>>(encoded), records) << type;
  EXPECT_EQ(encode(decode<One<T>>(encoded)).columns, encoded.columns) << type;
}

enum class Color : std::uint8_t { red, green = 7 };
struct Point {
  float x = 1, y = 2;
  friend bool operator==(const Point&, const Point&) = default;
  friend auto operator<=>(const Point&, const Point&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};

}  // namespace hdb::test
