// Plain hashes and the list of handles.
#include "judges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace demo {
namespace {

// The singletons that change in every tick, and the sound system.
void add_rest(PlainHash& hash, const Game& game) {
  hash.add_record(*game.world.agenda);
  hash.add_record(*game.world.graveyard);
  hash.add_record(*game.world.clock);
  hash.add_record(*game.world.rng);
  hash.add(game.sounds.next);
  for (const std::uint64_t source : game.sounds.sources) hash.add(source);
}

struct Found {
  std::uint32_t number = 0;
  std::uint64_t fields = 0;
};

std::optional<Found> look_up(const World& world, std::string_view table, std::uint64_t bits) {
  std::optional<Found> result;
  const auto take = [&](const auto* record) {
    if (record == nullptr) return;
    PlainHash hash;
    hash.add_record(*record);
    result = Found{record->number, hash.value()};
  };
  if (table == kTableOf<SoundHandle>) {
    take(world.sounds.meta(SoundHandle::from_bits(static_cast<SoundHandle::Bits>(bits))));
  }
  each_table(world, [&](const auto& records) {
    using Handle = typename std::remove_cvref_t<decltype(records)>::HandleType;
    if (kTableOf<Handle> != table) return;
    take(records.find(Handle::from_bits(static_cast<typename Handle::Bits>(bits))));
  });
  return result;
}

// Calls `visit` with the handle and the record of each record of all tables.
template <class Visit>
void each_record(const World& world, const Visit& visit) {
  each_table(world, [&](const auto& table) {
    for (const auto& [handle, record] : table.entries()) visit(handle, record);
  });
  world.sounds.for_each(
      [&](SoundHandle handle, const SoundInfo& info, auto) { visit(handle, info); });
}

class Collector {
 public:
  explicit Collector(const Game& game) : game_(game) {
    each_record(game.world, [this](auto handle, const auto& record) {
      Numbers& numbers = living_[kTableOf<decltype(handle)>];
      list.disputed += numbers.emplace(handle.bits(), record.number).second ? 0 : 1;
    });
    each_record(game.world, [this](auto handle, const auto& record) {
      const std::string_view table = kTableOf<decltype(handle)>;
      add(fmt::format("table {}", table), table, handle.bits());
      add_fields(fmt::format("{} {}", table, record.number), record);
    });
  }

  void add(std::string holder, std::string_view table, std::uint64_t bits) {
    const Numbers& numbers = living_[table];
    const auto known = numbers.find(bits);
    const bool is_live = known != numbers.end();
    const std::optional<Found> found = look_up(game_.world, table, bits);
    const bool is_agreed = is_live ? found && found->number == known->second : !found;
    list.disputed += is_agreed ? 0 : 1;
    list.handles.push_back({std::move(holder), std::string(table), bits, is_live,
                            found.value_or(Found{}).number, found.value_or(Found{}).fields});
  }
  void add(std::string holder, hdb::AnyHandle handle) {
    if (handle) add(std::move(holder), game_.world.database.table_of(handle), handle.bits());
  }
  // The handles in a record.
  template <class Record>
  void add_fields(const std::string& title, const Record& record) {
    visit_fields(record, [&](std::string_view field, const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      const std::string holder = fmt::format("{}.{}", title, field);
      if constexpr (std::is_same_v<Value, hdb::AnyHandle>) {
        add(holder, value);
      } else if constexpr (HandleLike<Value>) {
        using Handle =
            std::conditional_t<std::is_same_v<Value, StrongTexture>, TextureHandle, Value>;
        if (!value.is_null()) add(holder, kTableOf<Handle>, value.bits());
      }
    });
  }

  HandleList list;

 private:
  using Numbers = std::unordered_map<std::uint64_t, std::uint32_t>;  // by the bits of the handle
  const Game& game_;
  std::map<std::string_view, Numbers> living_;  // by table, as a walk meets them
};

}  // namespace

std::uint64_t plain_hash(const Game& game) {
  const World& world = game.world;
  PlainHash hash;
  each_record(world, [&](auto handle, const auto& record) { hash.add(handle, record); });
  for (const auto& [handle, texture] : world.textures.table().entries()) {
    hash.add(world.textures.table().name(handle));
  }
  world.sounds.for_each([&](SoundHandle, const SoundInfo&, auto samples) {
    hash.add(std::string_view(reinterpret_cast<const char*>(samples.data()), samples.size()));
  });
  hash.add_record(*world.cast);
  add_rest(hash, game);
  return hash.value();
}

TickHashes tick_hashes(const Game& game) {
  PlainHash moving;
  each_moving_table(game.world, [&](const auto& table) {
    for (const auto& [handle, record] : table.entries()) moving.add(handle, record);
  });
  add_rest(moving, game);
  std::map<std::uint32_t, const Thing*> things;  // by number
  for (const Thing& thing : game.world.things) things.emplace(thing.number, &thing);
  PlainHash fates;
  for (const auto& [number, thing] : things) {
    fates.add(std::string_view(thing->name));
    for (const std::int32_t fate : {thing->x, thing->y, thing->hp}) {
      fates.add(static_cast<std::uint64_t>(fate));
    }
  }
  return {moving.value(), fates.value()};
}

std::size_t HandleList::stale_count() const {
  return static_cast<std::size_t>(
      std::count_if(handles.begin(), handles.end(), [](const auto& h) { return !h.is_live; }));
}

HandleList list_handles(const Game& game) {
  Collector collector(game);
  collector.add_fields("graveyard", *game.world.graveyard);
  collector.add_fields("agenda", *game.world.agenda);
  collector.add_fields("cast", *game.world.cast);
  if (game.hud) collector.add("hud", kTableOf<TextureHandle>, game.hud.handle().bits());
  for (std::size_t i = 0; i < game.sounds.sources.size(); ++i) {
    collector.add(fmt::format("sound {}", i), hdb::AnyHandle::from_bits(game.sounds.sources[i]));
  }
  return std::move(collector.list);
}

ListCheck check_handle_list(const World& world, const HandleList& list) {
  ListCheck check;
  for (const HeldHandle& held : list.handles) {
    const std::optional<Found> now = look_up(world, held.table, held.bits);
    const bool is_right =
        held.is_live == now.has_value() &&
        (!now.has_value() || (now->number == held.number && now->fields == held.fields));
    ++(!is_right ? check.wrong : held.is_live ? check.live_right : check.stale_right);
    if (is_right || !check.first_wrong.empty()) continue;
    const std::string what = now ? fmt::format("record {}", now->number) : "nothing";
    check.first_wrong =
        fmt::format("{} {}:{:#x} must find {}, but finds {}", held.holder, held.table, held.bits,
                    held.is_live ? fmt::format("record {}", held.number) : "nothing", what);
  }
  return check;
}

}  // namespace demo
