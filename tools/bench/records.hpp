// The records that are measured, and tables full of them.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "hdb/core.hpp"

namespace hdb::bench {

inline constexpr std::size_t kMillion = 1'000'000;

/// 64 bytes, trivially copyable.
struct Body {
  std::uint64_t id = 0;
  float position[3] = {};
  float velocity[3] = {};
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

/// A record with a string and a list.
struct Person {
  std::string name;
  std::vector<std::uint32_t> items;
};

[[nodiscard]] inline Person make_person(std::uint64_t i) {
  return {"inhabitant number " + std::to_string(i), std::vector<std::uint32_t>(8, static_cast<std::uint32_t>(i))};
}

template <class Record>
using HandlesOf = std::vector<Handle<Record>>;

/// Inserts `count` records.
template <class Record, class Make>
HandlesOf<Record> fill(Table<Record>& table, std::size_t count, const Make& make) {
  HandlesOf<Record> handles;
  handles.reserve(count);
  for (std::size_t i = 0; i < count; ++i) handles.push_back(table.insert(make(i)));
  return handles;
}

}  // namespace hdb::bench
