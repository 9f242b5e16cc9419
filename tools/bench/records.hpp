// The records that are measured, and tables full of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/hdb.hpp"

namespace hdb::bench {

inline constexpr std::size_t kMillion = 1'000'000;

struct Vector {
  float x = 0;
  float y = 0;
  float z = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(z));
  }
};

/// 64 bytes, trivially copyable.
struct Body {
  std::uint64_t id = 0;
  Vector position;
  Vector velocity;
  std::int32_t health = 100;
  std::uint32_t state = 0;
  std::uint64_t target = 0;
  double age = 0;
  double speed = 1;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(id), CEREAL_NVP(position), CEREAL_NVP(velocity), CEREAL_NVP(health),
            CEREAL_NVP(state), CEREAL_NVP(target), CEREAL_NVP(age), CEREAL_NVP(speed));
  }
};
static_assert(sizeof(Body) == 64);

[[nodiscard]] inline Body make_body(std::uint64_t i) {
  const auto f = static_cast<float>(i % 1000);
  return {i, {f, f + 1, f + 2}, {1, 0, f}, static_cast<std::int32_t>(i % 100), 3, i / 2, 0.5, 1};
}

/// A body as a game in progress holds it: places on a map, velocities of which many are zero, few
/// states, targets among the other bodies, ages that differ.
[[nodiscard]] inline Body make_mixed_body(std::uint64_t i, std::mt19937_64& random) {
  const auto coordinate = [&] { return static_cast<float>(random() % 1'000'000) / 64.0f; };
  const auto speed = [&] {
    return static_cast<float>(static_cast<int>(random() % 200) - 100) / 8.0f;
  };
  Body body;
  body.id = i;
  body.position = {coordinate(), coordinate(), coordinate() / 100};
  if (random() % 2 == 0) body.velocity = {speed(), speed(), 0};
  body.health = static_cast<std::int32_t>(random() % 101);
  body.state = static_cast<std::uint32_t>(random() % 7);
  body.target = random() % 4 == 0 ? random() % kMillion : 0;
  body.age = static_cast<double>(random() % 360'000) / 60.0;
  body.speed = 1.0 + static_cast<double>(random() % 4) / 2;
  return body;
}

/// A record with a string and a list.
struct Person {
  std::string name;
  std::vector<std::uint32_t> items;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(name), CEREAL_NVP(items));
  }
};

[[nodiscard]] inline Person make_person(std::uint64_t i) {
  return {"inhabitant number " + std::to_string(i),
          std::vector<std::uint32_t>(8, static_cast<std::uint32_t>(i))};
}

template <class Record>
using HandlesOf = std::vector<Handle<Record>>;

/// Inserts `count` records into a table or a reference container; returns their handles.
template <class Container, class Make>
auto fill(Container& container, std::size_t count, const Make& make) {
  std::vector<decltype(container.insert(make(0)))> handles;
  handles.reserve(count);
  for (std::size_t i = 0; i < count; ++i) handles.push_back(container.insert(make(i)));
  return handles;
}

/// The first `count` bodies in a vector.
[[nodiscard]] inline std::vector<Body> make_bodies(std::size_t count) {
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < count; ++i) bodies.push_back(make_body(i));
  return bodies;
}

/// Sums a field of all records.
template <class Bodies>
std::uint64_t sum_of(const Bodies& bodies) {
  std::uint64_t sum = 0;
  for (const Body& body : bodies) sum += body.id;
  return sum;
}

}  // namespace hdb::bench
