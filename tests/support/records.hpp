// Record types that tests share.
#pragma once

#include <cereal/cereal.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hdb/detail/record/make_codec.hpp"
#include "hdb/handle.hpp"

namespace hdb::test {

/// Trivially copyable, with padding, so that a leak of padding would show.
struct Unit {
  std::int32_t hp = 100;
  std::uint8_t kind = 0;
  double x = 0;
  hdb::Handle<Unit> target = {};
  friend bool operator==(const Unit&, const Unit&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(kind), CEREAL_NVP(x), CEREAL_NVP(target));
  }
};

/// With containers and a handle into the table of Units.
struct Hero {
  std::string name = {};
  std::vector<std::int32_t> items = {};
  std::optional<float> mana = {};
  std::map<std::string, std::int32_t> skills = {};
  hdb::Handle<Unit> pet = {};
  friend bool operator==(const Hero&, const Hero&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(items), CEREAL_NVP(mana), CEREAL_NVP(skills), CEREAL_NVP(pet));
  }
};

/// Wide enough that 64 slots make a row group: files with several groups stay small in slots.
struct Tile {
  std::uint32_t cells[4096] = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(cells));
  }
};

/// A one-record table.
struct Clock {
  std::uint64_t tick = 0;
  std::uint64_t random = 1;
  friend bool operator==(const Clock&, const Clock&) = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(tick), CEREAL_NVP(random));
  }
};

/// A small generator with the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace hdb::test

// Their codecs are made in records.cpp, once for all test programs: they take long to compile.
namespace hdb::detail {
extern template std::shared_ptr<const RecordCodec> make_codec<test::Unit>();
extern template std::shared_ptr<const RecordCodec> make_codec<test::Hero>();
extern template std::shared_ptr<const RecordCodec> make_codec<test::Tile>();
extern template std::shared_ptr<const RecordCodec> make_codec<test::Clock>();
}  // namespace hdb::detail
