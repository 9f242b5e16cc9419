// Collects and checks the list of handles.
#include "handle_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "plain.hpp"

namespace demo {
namespace {

struct Found {
  std::uint32_t number = 0;
  std::uint64_t fields = 0;
};

template <class Record>
Found found(const Record* record) {
  PlainHash hash;
  hash.add_record(*record);
  return {record->number, hash.value()};
}

std::optional<Found> look_up(const World& world, std::string_view table, std::uint64_t bits) {
  if (table == kTableOf<SoundHandle>) {
    const auto handle = SoundHandle::from_bits(static_cast<SoundHandle::Bits>(bits));
    const SoundInfo* const info = world.sounds.meta(handle);
    return info != nullptr ? std::optional(found(info)) : std::nullopt;
  }
  std::optional<Found> result;
  each_table(world, [&](const auto& records) {
    using Handle = typename std::remove_cvref_t<decltype(records)>::HandleType;
    if (kTableOf<Handle> != table) return;
    const auto* const record =
        records.find(Handle::from_bits(static_cast<typename Handle::Bits>(bits)));
    if (record != nullptr) result = found(record);
  });
  return result;
}

class Collector {
 public:
  explicit Collector(const Game& game) : game_(game) {}

  void add(std::string holder, std::string_view table, std::uint64_t bits) {
    const std::optional<std::uint32_t> number = game_.ledger.number_of(table, bits);
    const std::optional<Found> content = look_up(game_.world, table, bits);
    const bool is_agreed = number.has_value() == content.has_value() &&
                           (!number.has_value() || *number == content->number);
    list.disputed += is_agreed ? 0 : 1;
    list.handles.push_back({std::move(holder), std::string(table), bits, number.has_value(),
                            content.value_or(Found{}).number, content.value_or(Found{}).fields});
  }
  // The handles in a record.
  template <class Record>
  void add_fields(const std::string& title, const Record& record) {
    visit_fields(record, [&](std::string_view field, const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      if constexpr (HandleLike<Value>) {
        if (value.is_null()) return;
        add(fmt::format("{}.{}", title, field), table_of(value), value.bits());
      }
    });
  }
  template <class Table>
  void add_table(const Table& table) {
    const std::string_view name = kTableOf<typename Table::HandleType>;
    for (const auto& [handle, record] : table.entries()) {
      add(fmt::format("table {}", name), name, handle.bits());
      add_fields(fmt::format("{} {}", name, record.number), record);
    }
  }

  HandleList list;

 private:
  template <class Tag, class Layout>
  [[nodiscard]] std::string_view table_of(const hdb::Handle<Tag, Layout>& handle) const {
    if constexpr (std::is_same_v<hdb::Handle<Tag, Layout>, hdb::AnyHandle>) {
      return game_.world.database.table_of(handle);
    } else {
      return kTableOf<hdb::Handle<Tag, Layout>>;
    }
  }
  [[nodiscard]] std::string_view table_of(const StrongTexture&) const {
    return kTableOf<TextureHandle>;
  }

  const Game& game_;
};

}  // namespace

std::size_t HandleList::stale_count() const {
  return static_cast<std::size_t>(
      std::count_if(handles.begin(), handles.end(), [](const auto& h) { return !h.is_live; }));
}

HandleList list_handles(const Game& game) {
  const World& world = game.world;
  Collector collector(game);
  each_table(world, [&](const auto& table) { collector.add_table(table); });
  std::as_const(world.sounds).for_each([&](SoundHandle handle, const SoundInfo&, auto) {
    collector.add("table sounds", kTableOf<SoundHandle>, handle.bits());
  });
  collector.add_fields("graveyard", *world.graveyard);
  collector.add_fields("agenda", *world.agenda);
  collector.add_fields("cast", *world.cast);
  if (game.hud) collector.add("hud", kTableOf<TextureHandle>, game.hud.handle().bits());
  for (std::size_t i = 0; i < game.sounds.sources.size(); ++i) {
    const auto source = hdb::AnyHandle::from_bits(game.sounds.sources[i]);
    if (source.is_null()) continue;
    collector.add(fmt::format("sound {}", i), world.database.table_of(source), source.bits());
  }
  return std::move(collector.list);
}

Ledger ledger_of(const HandleList& list) {
  Ledger ledger;
  for (const HeldHandle& held : list.handles) {
    if (held.is_live && !ledger.number_of(held.table, held.bits)) {
      ledger.born(held.table, held.bits, held.number);
    }
  }
  return ledger;
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
