// Plain records: which types are, that padding never leaks, and that gathering equals visiting.
#include <complex>
#include <cstring>
#include <random>

#include "helpers.hpp"

#include "support/using_detail.hpp"

namespace hdb::test {
namespace plain {

struct Inner {
  std::uint16_t a = 1;
  std::uint64_t b = 2;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a), CEREAL_NVP(b));
  }
};

/// Many widths, padding, nested arrays, tiles at the end of the record, and an order unlike that in
/// memory.
struct Wide {
  std::uint8_t small = 0;
  float x = 0, y = 0, z = 0, w = 0, u = 0;
  double d = 0, e = 0;
  std::int16_t s[3] = {};
  Inner inner[2];
  bool flag = false;
  std::uint64_t big = 0;
  float tail = 0;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(y), CEREAL_NVP(x), CEREAL_NVP(small), CEREAL_NVP(z), CEREAL_NVP(w), CEREAL_NVP(u),
       CEREAL_NVP(d), CEREAL_NVP(e), CEREAL_NVP(s), CEREAL_NVP(inner), CEREAL_NVP(flag),
       CEREAL_NVP(big), CEREAL_NVP(tail));
  }
};
struct WideThroughArchive : Wide {};

struct Conditional {
  int kind = 0, extra = 0;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(kind));
    if (kind == 0x01010101) ar(CEREAL_NVP(extra));
  }
};
struct RunawayLoop {
  std::uint32_t count = 0;
  int items[4] = {};
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(count));
    for (std::uint32_t i = 0; i < count; ++i) ar(items[i]);
  }
};
struct Temporary {
  int a = 0;
  template <class A>
  void serialize(A& ar) {
    int doubled = 2 * a;
    ar(cereal::make_nvp("a", doubled));
    a = doubled / 2;
  }
};
struct Derives {
  int a = 1, twice = 2;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a));
    if (A::is_loading::value) twice = 2 * a;
  }
};
struct Versioned {
  int a = 1;
  template <class A>
  void serialize(A& ar, std::uint32_t) {
    ar(CEREAL_NVP(a));
  }
};
struct Twice {
  int a = 1;
  template <class A>
  void serialize(A& ar) {
    ar(cereal::make_nvp("one", a), cereal::make_nvp("two", a));
  }
};
struct Maybe {
  std::optional<int> a;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a));
  }
};
struct BoolEnum {
  enum class E : bool { no, yes } e = E::no;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(e));
  }
};
struct Partial {  // a member that is not saved
  int saved = 1, cache = 2;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(saved));
  }
};
struct Time {
  std::chrono::milliseconds t{5};
  std::complex<float> c{1, 2};
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(t), CEREAL_NVP(c));
  }
};

}  // namespace plain
}  // namespace hdb::test
template <>
struct hdb::NotPlain<hdb::test::plain::WideThroughArchive> : std::true_type {};
namespace hdb::test::plain_test {
namespace {

using namespace plain;

TEST(Plain, FixedFieldsOfATriviallyCopyableTypeArePlain) {
  EXPECT_TRUE(make_codec<Wide>()->is_plain());
  EXPECT_TRUE(make_codec<Partial>()->is_plain());
  EXPECT_TRUE(make_codec<Time>()->is_plain());
  EXPECT_TRUE(make_codec<plain::Versioned>()->is_plain());
  EXPECT_FALSE(make_codec<WideThroughArchive>()->is_plain());
}

TEST(Plain, WhatDependsOnValuesOrComputesIsNot) {
  EXPECT_FALSE(make_codec<Conditional>()->is_plain());
  EXPECT_FALSE(make_codec<RunawayLoop>()->is_plain());
  EXPECT_FALSE(make_codec<Temporary>()->is_plain());
  EXPECT_FALSE(make_codec<Derives>()->is_plain());
  EXPECT_FALSE(make_codec<Twice>()->is_plain());
  EXPECT_FALSE(make_codec<Maybe>()->is_plain());
  EXPECT_FALSE(make_codec<BoolEnum>()->is_plain());
}

/// `count` records of random bytes in the fields, `stride` records apart or shuffled.
struct Placed {
  std::vector<WideThroughArchive> memory;
  std::vector<const void*> records;
};
Placed random_records(std::size_t count, std::size_t stride, bool is_shuffled, unsigned seed) {
  std::mt19937 random(seed);
  Placed field;
  field.memory.resize(count * stride);
  for (auto& record : field.memory) {
    std::memset(static_cast<void*>(&record), static_cast<int>(random() & 0xff),
                sizeof record);  // padding differs
    record.small = static_cast<std::uint8_t>(random());
    for (float* f : {&record.x, &record.y, &record.z, &record.w, &record.u, &record.tail}) {
      *f = static_cast<float>(random());
    }
    record.d = static_cast<double>(random());
    record.e = static_cast<double>(random());
    for (auto& s : record.s) s = static_cast<std::int16_t>(random());
    for (auto& inner : record.inner) {
      inner.a = static_cast<std::uint16_t>(random());
      inner.b = random();
    }
    record.flag = random() % 2 == 0;
    record.big = random();
  }
  for (std::size_t i = 0; i < count; ++i) field.records.push_back(&field.memory[i * stride]);
  if (is_shuffled) std::shuffle(field.records.begin(), field.records.end(), random);
  return field;
}

TEST(Plain, GatheringEqualsVisitingForAllCountsAndPlacements) {
  const auto fast = make_codec<Wide>();
  const auto slow = make_codec<WideThroughArchive>();
  const std::size_t columns = columns_of(must(fast->schema(no_table))).size();
  for (const std::size_t count : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 31u, 127u, 128u, 129u, 300u, 1111u}) {
    for (const std::size_t stride : {1u, 3u}) {
      for (const bool is_shuffled : {false, true}) {
        const Placed field =
            random_records(count, stride, is_shuffled, static_cast<unsigned>(count));
        std::vector<std::uint32_t> slots(count), generations(count), no_positions;
        for (std::size_t i = 0; i < count; ++i)
          slots[i] = slot_of(i), generations[i] = generation_of(i);
        const std::vector<std::uint32_t>& positions = is_shuffled ? slots : no_positions;
        const RecordBatch batch{field.records, slots, generations, positions, nullptr};
        std::vector<Bytes> gathered(columns), visited(columns);
        Hash128 gathered_hash, visited_hash;
        ASSERT_TRUE(fast->encode(batch, gathered, &gathered_hash).has_value());
        ASSERT_TRUE(slow->encode(batch, visited, &visited_hash).has_value());
        ASSERT_EQ(gathered, visited) << count << " records, stride " << stride;
        ASSERT_EQ(gathered_hash, visited_hash);
        ASSERT_EQ(*fast->hash_rows(batch), visited_hash);
      }
    }
  }
}

TEST(Plain, ScatteringEqualsVisitingAndLeavesTheRestAlone) {
  const Placed field = random_records(777, 1, false, 5);
  std::vector<Wide> records;
  for (const auto& record : field.memory) records.push_back(record);
  Encoded encoded = encode(records);
  const auto fast = decode<Wide>(encoded);
  const auto slow = decode<WideThroughArchive>(encoded);
  EXPECT_EQ(encode(fast).columns, encoded.columns);
  EXPECT_EQ(encode(slow).columns, encoded.columns);
  const auto partial = decode<Partial>(encode(std::vector<Partial>{{7, 8}}));
  EXPECT_EQ(partial[0].saved, 7);
  EXPECT_EQ(partial[0].cache, 2);
}

TEST(Plain, PaddingNeverReachesColumnsOrHashes) {
  Wide a, b;
  std::memset(static_cast<void*>(&a), 0x55, sizeof a);
  std::memset(static_cast<void*>(&b), 0xaa, sizeof b);
  for (Wide* record : {&a, &b}) {
    record->small = 1;
    record->x = record->y = record->z = record->w = record->u = record->tail = 2;
    record->d = record->e = 3;
    for (auto& s : record->s) s = 4;
    record->inner[0].a = record->inner[1].a = 5;
    record->inner[0].b = record->inner[1].b = 6;
    record->flag = true;
    record->big = 7;
  }
  ASSERT_NE(std::memcmp(&a, &b, sizeof a), 0);
  const Encoded of_a = encode(std::vector<Wide>{a});
  const Encoded of_b = encode(std::vector<Wide>{b});
  EXPECT_EQ(of_a.columns, of_b.columns);
  EXPECT_EQ(of_a.hash, of_b.hash);
}

TEST(Plain, WhatIsNotPlainStillComesBack) {
  EXPECT_EQ(decode<Temporary>(encode(std::vector<Temporary>{{21}}))[0].a, 21);
  EXPECT_EQ(decode<Derives>(encode(std::vector<Derives>{{21, 0}}))[0].twice, 42);
  EXPECT_EQ(decode<Maybe>(encode(std::vector<Maybe>{{5}}))[0].a, 5);
}

}  // namespace
}  // namespace hdb::test::plain_test
