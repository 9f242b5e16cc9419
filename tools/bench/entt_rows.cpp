// entt_*: captures, restores and autosaves of an EnTT registry, against copies of its memory and
// EnTT's own snapshots.
#include <entt/entt.hpp>
#include <hdb/chunk_cache.hpp>
#include <hdb/entt.hpp>

#include <cstring>
#include <random>

#include "bench.hpp"
#include "game.hpp"
#include "hdb/save.hpp"
#include "raw_archive.hpp"

namespace {

constexpr std::size_t kEntities = 1'000'000;

using hdb::bench::Body;
using hdb::bench::RawArchive;

struct EnttGame {
  entt::registry registry;
  hdb::entt::Registry world{registry};
  std::vector<entt::entity> entities = std::vector<entt::entity>(kEntities);
  std::mt19937_64 random{hdb::bench::kSeed};

  EnttGame() {
    world.pool<Body>("Body");
    registry.create(entities.begin(), entities.end());
    for (std::size_t i = 0; i < kEntities; ++i) {
      registry.emplace<Body>(entities[i], hdb::bench::make_mixed_body(i, random));
    }
  }
  void move(std::size_t first, std::size_t count) {
    auto& bodies = registry.storage<Body>();
    for (std::size_t i = first; i < first + count; ++i) bodies.get(entities[i]).position.x += 1;
  }
  // 1 %: 39 clusters of 256, anywhere.
  void move_clusters() {
    for (int i = 0; i < 39; ++i) move(random() % (kEntities - 256), 256);
  }
  // Copies identifiers and components into warm memory.
  double copy_pools(std::vector<std::byte>& to) {
    const auto& ids = registry.storage<entt::entity>();
    const auto& bodies = registry.storage<Body>();
    constexpr std::size_t kPage = entt::component_traits<Body, entt::entity>::page_size;
    return hdb::bench::time_ns([&] {
      std::byte* at = to.data();
      const auto copy = [&](const void* from, std::size_t bytes) {
        std::memcpy(at, from, bytes);
        at += bytes;
      };
      copy(ids.data(), ids.size() * sizeof(entt::entity));
      copy(bodies.data(), bodies.size() * sizeof(entt::entity));
      for (std::size_t i = 0; i < bodies.size(); i += kPage)
        copy(bodies.raw()[i / kPage], std::min(kPage, bodies.size() - i) * sizeof(Body));
      benchmark::DoNotOptimize(to.data());
    });
  }
};

}  // namespace

namespace hdb::bench {

void entt_rows(Bench& bench) {
  if (!bench.wants({"entt_capture_all", "entt_capture_1pct", "entt_capture_same",
                    "entt_restore_1pct", "entt_restore_other", "entt_autosave_1pct"})) {
    return;
  }
  EnttGame game;
  std::vector<std::byte> copies(kEntities * (sizeof(Body) + 2 * sizeof(::entt::entity)),
                                std::byte{1});
  Snapshot now = game.world.capture();
  const auto move_all = [&] { game.move(0, kEntities); };
  const auto move_clusters = [&] { game.move_clusters(); };

  const auto capture_row = [&](const char* name, const std::string& changed, auto change) {
    bench.compare(
        {name, 1.2, "", changed + " changed, / memcpy of the pools", true},
        [&] {
          change();
          now = {};
          return time_ns([&] { now = game.world.capture(); });
        },
        [&] { return game.copy_pools(copies); });
  };
  capture_row("entt_capture_all", "1 million entities, every component", move_all);
  capture_row("entt_capture_1pct", "39 clusters of 256", move_clusters);
  capture_row("entt_capture_same", "nothing", [] {});

  RawArchive archive;
  ::entt::snapshot{game.registry}.get<::entt::entity>(archive).get<Body>(archive);
  const auto restore_row = [&](const char* name, std::optional<double> target,
                               const std::string& changed, auto change) {
    bench.compare(
        {name, target, "", changed + ", / EnTT's loader, raw bytes", true},
        [&] {
          change();
          return time_ns([&] { return game.world.restore(now).has_value(); });
        },
        [&] {
          std::optional<::entt::registry> fresh(std::in_place);
          archive.rewind();
          return time_ns([&] {
            ::entt::snapshot_loader{*fresh}.get<::entt::entity>(archive).get<Body>(archive);
          });
        });
  };
  restore_row("entt_restore", 1.5, "every component changed and captured since", [&] {
    move_all();
    benchmark::DoNotOptimize(game.world.push().has_value());
  });
  restore_row("entt_restore_1pct", 1.5, "39 clusters changed", move_clusters);
  restore_row("entt_restore_other", {}, "an entity destroyed and made again, so pools are built",
              [&] {
                const ::entt::entity entity = game.entities[kEntities / 2];
                const Body body = game.registry.get<Body>(entity);
                game.registry.destroy(entity);
                game.registry.emplace<Body>(game.registry.create(), body);
              });

  ChunkCache cache;
  NullSink sink;
  const auto capture_and_save = [&](const SaveOptions& options) {
    now = {};
    return time_ns([&] {
      now = game.world.capture();
      return save(now, sink, options).has_value();
    });
  };
  bench.compare(
      {"entt_autosave_1pct", 0.3, "", "39 clusters changed, / a whole one; each captures and saves",
       true},
      [&] {
        move_clusters();
        return capture_and_save({.write = {.cache = &cache}});
      },
      [&] { return capture_and_save({}); });
}

}  // namespace hdb::bench
