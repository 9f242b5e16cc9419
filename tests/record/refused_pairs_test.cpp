// Every pair of field types: a load takes a sound save, or refuses it as a mismatch of the program.
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "helpers.hpp"

namespace hdb::test::refused_pairs_test {

enum class Any : std::uint8_t { zero };
enum class Flag : bool { no, yes };
struct Bytes3 {
  std::array<std::uint8_t, 3> b{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(b));
  }
};
struct Lengthy {
  std::vector<std::string> texts;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(texts));
  }
};
struct Utf8 {
  std::string v;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(v));
  }
};

}  // namespace hdb::test::refused_pairs_test

namespace hdb {
template <>
struct Opaque<test::refused_pairs_test::Bytes3> : std::true_type {};
template <>
struct Opaque<test::refused_pairs_test::Lengthy> : std::true_type {};
template <>
struct Utf8Checked<test::refused_pairs_test::Utf8> : std::true_type {};
}  // namespace hdb

namespace hdb::test::refused_pairs_test {
namespace {

/// A field type: saves of some of its values, and a program that loads such saves.
struct Type {
  std::vector<Encoded> saves;
  std::function<Status(const Encoded&)> load;
};

template <class Record>
Type type_of(std::vector<Record> records) {
  Type type;
  for (Record& record : records) type.saves.push_back(encode(std::vector<Record>{record}));
  type.load = [](const Encoded& from) -> Status {
    const auto loaded = try_decode<Record>(from);
    return loaded ? Status{} : fail(loaded.error());
  };
  return type;
}

template <class T>
Type field_of_type(std::initializer_list<T> values) {
  std::vector<V<T>> records;
  for (const T& value : values) records.push_back({value});
  return type_of(std::move(records));
}

std::vector<Type> types() {
  const std::string bad = "\xff";
  std::vector<Type> all;
  all.push_back(field_of_type<bool>({false, true}));
  all.push_back(field_of_type<std::int8_t>({0, -1, 127}));
  all.push_back(field_of_type<std::uint64_t>({0, 2, ~std::uint64_t{0}}));
  all.push_back(field_of_type<float>({0.5F, -0.0F, 1e-45F, 1e30F}));
  all.push_back(field_of_type<double>({0.1, 5e-324, 1e300}));
  all.push_back(field_of_type<Any>({Any{0}, Any{2}, Any{255}}));
  all.push_back(field_of_type<Flag>({Flag::no, Flag::yes}));
  all.push_back(field_of_type<std::string>({"", "a", bad}));
  all.push_back(type_of<Utf8>({{"a"}}));
  all.push_back(field_of_type<std::optional<std::int32_t>>({std::nullopt, 7}));
  all.push_back(field_of_type<std::vector<std::int32_t>>({{}, {7, 7}, {1, 2}}));
  all.push_back(field_of_type<std::vector<Any>>({{Any{2}, Any{2}}, {Any{255}}}));
  all.push_back(field_of_type<std::vector<Flag>>({{Flag::yes, Flag::yes}}));
  all.push_back(field_of_type<std::set<std::int32_t>>({{}, {1, 2}}));
  all.push_back(field_of_type<std::vector<std::string>>({{}, {"a", bad, bad}}));
  all.push_back(field_of_type<std::set<std::string>>({{}, {"a", bad}}));
  all.push_back(field_of_type<std::multimap<std::int32_t, bool>>({{{1, true}, {1, false}}}));
  all.push_back(field_of_type<std::map<std::int32_t, bool>>({{{1, true}, {2, false}}}));
  all.push_back(field_of_type<std::variant<std::int32_t, std::string>>({{7}, {bad}}));
  all.push_back(field_of_type<std::variant<std::string>>({{"a"}}));
  all.push_back(field_of_type<Bytes3>({{}, {{255, 255, 255}}}));
  all.push_back(field_of_type<Lengthy>({{}, {{"a", "b"}}}));
  return all;
}

TEST(RefusedPairs, NoSoundSaveIsCalledDamaged) {
  const std::vector<Type> all = types();
  std::size_t refused = 0;
  for (const Type& from : all) {
    for (const Encoded& save : from.saves) {
      ASSERT_TRUE(from.load(save)) << from.load(save).error().message();
      for (const Type& to : all) {
        const Status loaded = to.load(save);
        if (loaded) continue;
        ++refused;
        EXPECT_NE(category_name(category_of(loaded.error().code)), "corrupt")
            << type_text(save.schema) << " as " << (&to - all.data()) << ": "
            << loaded.error().message();
        EXPECT_NE(loaded.error().where, "");
      }
    }
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace hdb::test::refused_pairs_test
