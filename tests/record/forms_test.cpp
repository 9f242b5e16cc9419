// The ways in which cereal lets a type be described: members, free functions, split, minimal,
// versions, bases, loops.
#include "helpers.hpp"

#include "support/using_detail.hpp"

namespace hdb::test {
namespace forms {

struct Split {
  int a = 1;
  bool operator==(const Split&) const = default;
  template <class A>
  void save(A& ar) const {
    ar(cereal::make_nvp("a", a));
  }
  template <class A>
  void load(A& ar) {
    ar(cereal::make_nvp("a", a));
  }
};

struct FreeBoth {
  int a = 1;
  float b = 2;
  bool operator==(const FreeBoth&) const = default;
};
template <class A>
void serialize(A& ar, FreeBoth& v) {
  ar& cereal::make_nvp("a", v.a) & v.b;  // as Boost writes it
}

struct FreeSplit {
  std::string s;
  bool operator==(const FreeSplit&) const = default;
};
template <class A>
void save(A& ar, const FreeSplit& v) {
  ar << cereal::make_nvp("s", v.s);
}
template <class A>
void load(A& ar, FreeSplit& v) {
  ar >> cereal::make_nvp("s", v.s);
}

struct Minimal {
  int id = 0;
  bool operator==(const Minimal&) const = default;
  template <class A>
  std::string save_minimal(const A&) const {
    return "id" + std::to_string(id);
  }
  template <class A>
  void load_minimal(const A&, const std::string& text) {
    id = std::stoi(text.substr(2));
  }
};

enum class Mood { calm, angry };
template <class A>
std::string save_minimal(const A&, const Mood& mood) {
  return mood == Mood::calm ? "calm" : "angry";
}
template <class A>
void load_minimal(const A&, Mood& mood, const std::string& text) {
  mood = text == "calm" ? Mood::calm : Mood::angry;
}

class Secret {
 public:
  explicit Secret(int v = 0) : v_(v) {}
  bool operator==(const Secret&) const = default;

 private:
  friend class cereal::access;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(v_));
  }
  int v_;
};

struct Versioned {
  int a = 1;
  std::uint32_t seen = 99;
  bool operator==(const Versioned&) const = default;
  template <class A>
  void serialize(A& ar, const std::uint32_t version) {
    seen = version;
    ar(CEREAL_NVP(a));
  }
};

struct Base {
  int base = 1;
  bool operator==(const Base&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(base));
  }
};
struct Derived : Base {
  int own = 2;
  bool operator==(const Derived&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(cereal::base_class<Base>(this), CEREAL_NVP(own));
  }
};
struct Left : virtual Base {
  int left = 3;
  template <class A>
  void serialize(A& ar) {
    ar(cereal::make_nvp("base", cereal::virtual_base_class<Base>(this)), CEREAL_NVP(left));
  }
};
struct Right : virtual Base {
  int right = 4;
  template <class A>
  void serialize(A& ar) {
    ar(cereal::make_nvp("base", cereal::virtual_base_class<Base>(this)), CEREAL_NVP(right));
  }
};
struct Diamond : Left, Right {
  bool operator==(const Diamond& o) const {
    return base == o.base && left == o.left && right == o.right;
  }
  template <class A>
  void serialize(A& ar) {
    ar(cereal::make_nvp("l", cereal::virtual_base_class<Left>(this)),
       cereal::make_nvp("r", cereal::virtual_base_class<Right>(this)));
  }
};
struct Diamonds {
  std::vector<Diamond> all;
  bool operator==(const Diamonds&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(all));
  }
};

template <class T>
struct Ring {  // a user container in cereal's size-and-loop manner
  std::vector<T> items;
  bool operator==(const Ring&) const = default;
  template <class A>
  void save(A& ar) const {
    ar(cereal::make_size_tag(static_cast<cereal::size_type>(items.size())));
    for (const T& item : items) ar(item);
  }
  template <class A>
  void load(A& ar) {
    cereal::size_type size;
    ar(cereal::make_size_tag(size));
    items.resize(static_cast<std::size_t>(size));
    for (T& item : items) ar(item);
  }
};
struct Dictionary {
  std::vector<std::pair<int, std::string>> items;
  bool operator==(const Dictionary&) const = default;
  template <class A>
  void save(A& ar) const {
    ar(cereal::make_size_tag(static_cast<cereal::size_type>(items.size())));
    for (const auto& [key, value] : items) ar(cereal::make_map_item(key, value));
  }
  template <class A>
  void load(A& ar) {
    cereal::size_type size;
    ar(cereal::make_size_tag(size));
    items.resize(static_cast<std::size_t>(size));
    for (auto& [key, value] : items) ar(cereal::make_map_item(key, value));
  }
};

struct Binary {
  float m[4] = {1, 2, 3, 4};
  bool operator==(const Binary&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(cereal::make_nvp("m", cereal::binary_data(m, sizeof m)));
  }
};

struct Empty {
  bool operator==(const Empty&) const = default;
};

struct All {
  Split split;
  FreeBoth free_both;
  FreeSplit free_split;
  Minimal minimal;
  Mood mood = Mood::calm;
  Secret secret;
  Versioned versioned;
  Derived derived;
  Ring<std::string> ring;
  Ring<Ring<int>> rings;
  Dictionary dictionary;
  Binary binary;
  Empty empty;
  bool operator==(const All&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(split), CEREAL_NVP(free_both), CEREAL_NVP(free_split), CEREAL_NVP(minimal),
       CEREAL_NVP(mood));
    ar(CEREAL_NVP(secret), CEREAL_NVP(versioned), CEREAL_NVP(derived), CEREAL_NVP(ring),
       CEREAL_NVP(rings));
    ar(CEREAL_NVP(dictionary), CEREAL_NVP(binary), CEREAL_NVP(empty));
  }
};

struct Unnamed {
  int a = 1, b = 2, c = 3;
  bool operator==(const Unnamed&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(a, cereal::make_nvp("name", b), c);
  }
};

struct DynamicNames {
  int v[3] = {1, 2, 3};
  bool operator==(const DynamicNames&) const = default;
  template <class A>
  void serialize(A& ar) {
    for (int i = 0; i < 3; ++i) ar(cereal::make_nvp("v" + std::to_string(i), v[i]));
  }
};

}  // namespace forms
}  // namespace hdb::test

CEREAL_CLASS_VERSION(hdb::test::forms::Versioned, 7)
template <class T>
struct hdb::SizeAndLoop<hdb::test::forms::Ring<T>> {
  using Element = T;
};
template <>
struct hdb::SizeAndLoop<hdb::test::forms::Dictionary> {
  using Key = int;
  using Value = std::string;
};

namespace hdb::test::forms_test {
namespace {

using namespace forms;

TEST(Forms, EachGivesTheSchemaOfWhatItSaves) {
  EXPECT_EQ(schema_text<All>(),
            "{split: {a: i32}, free_both: {a: i32, #0: f32}, free_split: {s: string}, minimal: "
            "string, mood: string, "
            "secret: {v_: i32}, versioned: {a: i32}, derived: {#0: {base: i32}, own: i32}, ring: "
            "list<string>, "
            "rings: list<list<i32>>, dictionary: map<i32, string>, binary: {m: array<f32, 4>}, "
            "empty: {}}");
}

TEST(Forms, AllComeBack) {
  std::vector<All> records(3);
  records[1].split.a = 5;
  records[1].free_both = {6, 7};
  records[1].free_split.s = "eight";
  records[1].minimal.id = 9;
  records[1].mood = Mood::angry;
  records[1].secret = Secret(10);
  records[1].derived.base = 11;
  records[1].derived.own = 12;
  records[1].ring.items = {"a", "bb"};
  records[2].rings.items = {{{1, 2}}, {}, {{3}}};
  records[2].dictionary.items = {{1, "x"}, {2, "y"}};
  records[2].binary.m[3] = -4;
  const auto back = decode<All>(encode(records));
  records[0].versioned.seen = records[1].versioned.seen = records[2].versioned.seen = 7;
  EXPECT_EQ(back, records);
}

TEST(Forms, ClassVersionIsInTheSchemaNotAField) {
  const Field schema = must(make_codec<Versioned>()->schema(no_table));
  EXPECT_TRUE(schema.versioned);
  EXPECT_EQ(schema.class_version, 7u);
  EXPECT_EQ(schema.children.size(), 1u);
  EXPECT_FALSE(make_codec<Versioned>()->is_plain());
}

TEST(Forms, AVirtualBaseIsVisitedOnceAnObject) {
  EXPECT_EQ(schema_text<Diamonds>(),
            "{all: list<{l: {base: {base: i32}, left: i32}, r: {right: i32}}>}");
  std::vector<Diamonds> records(2);
  records[0].all.resize(3);
  for (int i = 0; i < 3; ++i) records[0].all[static_cast<std::size_t>(i)].base = 10 + i;
  records[0].all[2].right = 5;
  EXPECT_EQ(decode<Diamonds>(encode(records)), records);
}

TEST(Forms, FieldsWithoutNamesAreNumbered) {
  EXPECT_EQ(schema_text<Unnamed>(), "{#0: i32, name: i32, #1: i32}");
  const std::vector<Unnamed> records{{4, 5, 6}};
  EXPECT_EQ(decode<Unnamed>(encode(records)), records);
}

TEST(Forms, NamesMayBePutTogetherWhileSaving) {
  EXPECT_EQ(schema_text<DynamicNames>(), "{v0: i32, v1: i32, v2: i32}");
  const std::vector<DynamicNames> records{{{7, 8, 9}}};
  EXPECT_EQ(decode<DynamicNames>(encode(records)), records);
}

TEST(Forms, SavingDoesNotChangeTheRecord) {
  std::vector<All> records(1);
  records[0].ring.items = {"keep"};
  const auto before = records;
  (void)encode(records);
  records[0].versioned.seen =
      before[0].versioned.seen;  // this type's serialize breaks the rule on purpose
  EXPECT_EQ(records, before);
}

}  // namespace
}  // namespace hdb::test::forms_test
