// flush_100k: what is left when a level is: resources that nothing refers to, among many that are
// in use.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench.hpp"
#include "hdb/resource_table.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

struct Texture {
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(id), CEREAL_NVP(bytes));
  }
};

struct Sprite {
  Strong<Texture> texture;
  Vector position;
  std::uint32_t layer = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(texture), CEREAL_NVP(position), CEREAL_NVP(layer));
  }
};

}  // namespace

void flush_rows(Bench& bench) {
  if (!bench.wants({"flush_100k"})) return;
  constexpr std::size_t kUnused = 100'000;
  Database database;
  ResourceTable<Texture>& textures = database.create_resource_table<Texture>("textures");
  Table<Sprite>& sprites = database.create_table<Sprite>("sprites");
  std::vector<Ref<Texture>> held;
  held.reserve(kMillion / 2);
  std::uint64_t made = 0;
  const auto make = [&] {
    const std::uint64_t id = made++;
    return textures.insert("texture/" + std::to_string(id), {id, 4096});
  };
  // Used and unused ones lie among each other, and sprites name theirs in no order.
  std::vector<Handle<Texture>> named;
  const auto order = shuffled(kMillion);
  for (std::size_t i = 0; i < kMillion; ++i) {
    auto texture = make();
    if (order[i] < kUnused) continue;
    if (order[i] % 2 == 0) {
      held.push_back(std::move(texture));
    } else {
      named.push_back(texture.handle());
    }
  }
  for (const std::uint32_t i : shuffled(named.size())) sprites.insert({named[i], {}, i % 8});

  std::size_t destroyed = 0;
  std::size_t flushes = 0;
  bench.measure({.name = "flush_100k", .target = 20, .unit = "ms", .note = "of a million"}, [&] {
    while (textures.table().size() < kMillion) static_cast<void>(make());
    ++flushes;
    return time_ns([&] { destroyed += textures.flush()->destroyed; });
  });
  if (destroyed != flushes * kUnused) std::abort();
}

}  // namespace hdb::bench
