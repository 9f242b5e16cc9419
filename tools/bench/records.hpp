// The records that are measured, and tables full of them.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "bench.hpp"
#include "hdb/cereal_structs.hpp"
#include "hdb/hdb.hpp"
#include "reference/bilas.hpp"

namespace hdb::bench {

inline constexpr std::size_t kMillion = 1'000'000;

struct Vector {
  float x = 0;
  float y = 0;
  float z = 0;
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
};

[[nodiscard]] inline Person make_person(std::uint64_t i) {
  return {"inhabitant number " + std::to_string(i),
          std::vector<std::uint32_t>(8, static_cast<std::uint32_t>(i))};
}

/// A person as a game in progress holds it: a name of parts, up to 16 items of 1,000 kinds.
[[nodiscard]] inline Person make_mixed_person(std::uint64_t i) {
  constexpr const char* kTrades[] = {"smith", "miller", "hunter", "guard", "merchant", "farmer"};
  std::mt19937_64 random(i);
  Person person{kTrades[random() % std::size(kTrades)] + std::string(" no. ") +
                    std::to_string(random() % kMillion),
                {}};
  person.items.resize(random() % 17);
  for (auto& item : person.items) item = static_cast<std::uint32_t>(random() % 1000);
  return person;
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

/// The values in a random order.
template <class T>
[[nodiscard]] std::vector<T> in_random_order(const std::vector<T>& values) {
  std::vector<T> out;
  out.reserve(values.size());
  for (const std::uint32_t i : shuffled(values.size())) out.push_back(values[i]);
  return out;
}

/// A table or a reference container with `count` bodies, and their handles in a random order.
template <class Container>
struct Bodies {
  template <class... Options>
  explicit Bodies(std::size_t count, const Options&... options)
      : container(options...), handles(in_random_order(fill(container, count, make_body))) {}

  Container container;
  decltype(fill(container, 0, make_body)) handles;
};

inline constexpr TableOptions kStable = {.storage = Storage::stable};

/// The first record of each page of a dense table. Only this function knows where pages begin.
template <class Record>
[[nodiscard]] HandlesOf<Record> one_of_each_page(const Table<Record>& table) {
  const std::size_t step = hdb::detail::core_of(table).records().per_page();
  HandlesOf<Record> handles;
  for (std::size_t at = 0; at < table.size(); at += step) handles.push_back(table.handle_at(at));
  return handles;
}

/// A million bodies in a vector.
[[nodiscard]] inline std::vector<Body> make_bodies() {
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < kMillion; ++i) bodies.push_back(make_body(i));
  return bodies;
}

/// Sums a field of every record that is looked up, in the random order of the handles.
template <class Container>
[[nodiscard]] std::uint64_t sum_found(const Bodies<Container>& bodies) {
  std::uint64_t sum = 0;
  for (const auto handle : bodies.handles) {
    const Body* const body = bodies.container.find(handle);
    if (body != nullptr) sum += body->id;
  }
  return sum;
}

/// Sums a field of all records, one after the other.
template <class Range>
[[nodiscard]] std::uint64_t sum_of(const Range& bodies) {
  std::uint64_t sum = 0;
  for (const Body& body : bodies) sum += body.id;
  return sum;
}

/// The same, in the fastest way that the container has for any table.
[[nodiscard]] inline std::uint64_t sum_of_all(const Table<Body>& table) {
  std::uint64_t sum = 0;
  table.for_each_span([&](const auto& span) { sum += sum_of(span.records()); });
  return sum;
}

[[nodiscard]] inline std::uint64_t sum_of_all(const reference::BilasTable<Body>& table) {
  std::uint64_t sum = 0;
  table.for_each([&](const Body& body) { sum += body.id; });
  return sum;
}

/// Nanoseconds that it takes to make a container and insert `count` bodies: fresh memory, no
/// reserve; giving it back is not timed.
template <class Container>
[[nodiscard]] double create_cold(std::size_t count) {
  make_memory_cold();
  std::optional<Container> container;
  return time_ns([&] {
    container.emplace();
    for (std::size_t i = 0; i < count; ++i) container->insert(make_body(i));
  });
}

/// A million 64-byte records take this many bytes.
inline constexpr std::size_t kMillionBytes = kMillion * sizeof(Body);

/// 200,000 records with strings and lists, and the same records in a vector.
struct People {
  explicit People(Person (*make)(std::uint64_t))
      : handles(fill(table, kCount, make)), vector(table.begin(), table.end()) {}

  static constexpr std::size_t kCount = 200'000;
  Database database;
  Table<Person>& table = database.create_table<Person>("people");
  HandlesOf<Person> handles;
  std::vector<Person> vector;
};

}  // namespace hdb::bench
