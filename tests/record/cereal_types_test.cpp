// A user who includes all of cereal's own type headers gets the same schemas, and nothing is
// ambiguous.
#include <bitset>
#include <cereal/archives/binary.hpp>
#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/atomic.hpp>
#include <cereal/types/bitset.hpp>
#include <cereal/types/chrono.hpp>
#include <cereal/types/complex.hpp>
#include <cereal/types/deque.hpp>
#include <cereal/types/forward_list.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/polymorphic.hpp>
#include <cereal/types/queue.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/stack.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/unordered_map.hpp>
#include <cereal/types/unordered_set.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/valarray.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>
#include <complex>
#include <deque>
#include <forward_list>
#include <list>
#include <sstream>

#include "helpers.hpp"

namespace hdb::test {
namespace {

enum class Kind : std::uint8_t { a, b };

struct Shape {
  virtual ~Shape() = default;
  int id = 1;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(id));
  }
};
struct Circle : Shape {
  float radius = 2;
  template <class A>
  void serialize(A& ar) {
    ar(cereal::make_nvp("shape", cereal::base_class<Shape>(this)), CEREAL_NVP(radius));
  }
};

struct Everything {
  std::array<int, 2> array{1, 2};
  std::bitset<3> bits{5};
  std::chrono::seconds time{7};
  std::complex<float> complex{1, 2};
  std::deque<int> deque{1};
  std::forward_list<int> forward{2};
  std::list<int> list{3};
  std::map<std::string, int> map{{"k", 1}};
  std::optional<int> some{4};
  std::set<int> set{5};
  std::string text = "text";
  std::tuple<int, float> tuple{6, 7.f};
  std::pair<int, float> pair{6, 7.f};
  std::variant<int, float> variant = 1.5f;
  std::vector<float> floats{1, 2};
  std::vector<bool> bools{true};
  Kind kind = Kind::b;
  int raw[2] = {1, 2};
  Circle circle;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(array), CEREAL_NVP(bits), CEREAL_NVP(time), CEREAL_NVP(complex),
       CEREAL_NVP(deque), CEREAL_NVP(forward), CEREAL_NVP(list), CEREAL_NVP(map), CEREAL_NVP(some),
       CEREAL_NVP(set), CEREAL_NVP(text), CEREAL_NVP(tuple), CEREAL_NVP(pair), CEREAL_NVP(variant),
       CEREAL_NVP(floats), CEREAL_NVP(bools), CEREAL_NVP(kind), CEREAL_NVP(raw),
       CEREAL_NVP(circle));
  }
};

TEST(CerealTypes, AreDescribedByOurOwnRulesWhateverIsIncluded) {
  EXPECT_EQ(
      schema_text<Everything>(),
      "{array: array<i32, 2>, bits: array<bool, 3>, time: {s: i64}, complex: {real: f32, imag: "
      "f32}, "
      "deque: list<i32>, forward: list<i32>, list: list<i32>, map: map<string, i32>, some: "
      "optional<i32>, "
      "set: list<i32>, text: string, tuple: {#0: i32, #1: f32}, pair: {first: i32, second: f32}, "
      "variant: variant<i32, f32>, floats: list<f32>, bools: list<bool>, kind: enum<u8>, raw: "
      "array<i32, 2>, "
      "circle: {shape: {id: i32}, radius: f32}}");
}

TEST(CerealTypes, TheSameFunctionsServeCerealAndUs) {
  std::vector<Everything> records(1);
  records[0].map["other"] = 9;
  records[0].circle.id = 42;
  const auto by_cereal = [](const Everything& record) {
    std::ostringstream out;
    {
      cereal::PortableBinaryOutputArchive archive(out);
      archive(record);
    }
    return out.str();
  };
  EXPECT_EQ(by_cereal(decode<Everything>(encode(records))[0]), by_cereal(records[0]));
}

}  // namespace
}  // namespace hdb::test
