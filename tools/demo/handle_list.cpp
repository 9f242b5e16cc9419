// Collects, writes, reads and checks the list of handles.
#include "handle_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "files.hpp"
#include "world_hash.hpp"

namespace demo {
namespace {

constexpr const char* kHudHolder = "hud";

// The table of handles of this type.
template <class Handle>
TableId table_of(const World& world) {
  TableId found = TableId::sounds;
  for_each_table(world, [&](TableId id, const auto& table) {
    using Table = std::remove_cvref_t<decltype(table)>;
    if (std::is_same_v<typename Table::HandleType::Tag, typename Handle::Tag>) found = id;
  });
  return found;
}

std::optional<TableId> table_named(std::string_view name) {
  const auto place = std::find(kTableNames.begin(), kTableNames.end(), name);
  if (place == kTableNames.end()) return std::nullopt;
  return static_cast<TableId>(place - kTableNames.begin());
}

// Serial number and title of any record.
std::uint32_t serial_of(const Thing& thing) { return thing.serial; }
std::uint32_t serial_of(const Missile& missile) { return missile.serial; }
std::uint32_t serial_of(const Sprite& sprite) { return sprite.serial; }
template <class Record>
std::uint32_t serial_of(const Record& record) {
  return record.number;
}
std::string title_of(const Texture&) { return {}; }  // its name is the table's
std::string title_of(const Sprite& sprite) { return fmt::format("sprite {}", sprite.serial); }
std::string title_of(const Sector& sector) { return fmt::format("sector {}", sector.number); }
std::string title_of(const Side& side) { return fmt::format("side {}", side.number); }
std::string title_of(const Line& line) { return fmt::format("line {}", line.number); }
std::string title_of(const Thing& thing) { return thing.name; }
std::string title_of(const Missile& missile) { return fmt::format("missile {}", missile.serial); }

template <class Table>
std::string title_in(const Table& table, typename Table::HandleType handle,
                     const typename Table::RecordType& record) {
  return table.has_names() ? std::string(table.name(handle)) : title_of(record);
}

template <class Table>
std::optional<Content> find_content(const Table& table, std::uint64_t bits) {
  using Handle = typename Table::HandleType;
  const auto handle = Handle::from_bits(static_cast<typename Handle::Bits>(bits));
  const auto* const record = table.find(handle);
  if (record == nullptr) return std::nullopt;
  PlainHash hash;
  hash.add_record(*record);
  return Content{serial_of(*record), hash.value(), title_in(table, handle, *record)};
}

std::optional<Content> find_sound(const World& world, std::uint64_t bits) {
  const auto handle = SoundHandle::from_bits(static_cast<SoundHandle::Bits>(bits));
  const SoundInfo* const info = world.sounds.meta(handle);
  if (info == nullptr) return std::nullopt;
  PlainHash hash;
  hash.add_record(*info);
  const auto samples = std::as_const(world.sounds).find(handle);
  hash.add(std::string_view(reinterpret_cast<const char*>(samples.data()), samples.size()));
  return Content{info->number, hash.value(), info->name};
}

std::optional<Content> resolve(const World& world, TableId table, std::uint64_t bits) {
  if (table == TableId::sounds) return find_sound(world, bits);
  std::optional<Content> content;
  for_each_table(world, [&](TableId id, const auto& records) {
    if (id == table) content = find_content(records, bits);
  });
  return content;
}

class Collector {
 public:
  Collector(const World& world, const Ledger& ledger) : world_(world), ledger_(ledger) {}

  // The handle of every record of a table, and those in it.
  template <class Table>
  void add_table(TableId id, const Table& table) {
    const std::string holder = fmt::format("table {}", kTableNames[static_cast<std::size_t>(id)]);
    for (const auto& [handle, record] : table.entries()) {
      add(holder, id, handle.bits());
      add_fields(title_in(table, handle, record), record);
    }
  }

  // The handles in a record.
  template <class Record>
  void add_fields(const std::string& title, const Record& record) {
    visit_fields(record, [&](std::string_view field, const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      if constexpr (HandleLike<Value>) {
        const std::optional<TableId> table = table_of_value(value);
        if (table) add(fmt::format("{}.{}", title, field), *table, value.bits());
      }
    });
  }

  void add(std::string holder, TableId table, std::uint64_t bits) {
    const std::optional<std::uint32_t> serial = ledger_.serial_of(table, bits);
    const std::optional<Content> content = resolve(world_, table, bits);
    const bool agree = serial.has_value() == content.has_value() &&
                       (!serial.has_value() || *serial == content->serial);
    list_.disputed += agree ? 0 : 1;
    list_.handles.push_back(
        {std::move(holder), table, bits, serial.has_value(), content.value_or(Content{})});
  }

  [[nodiscard]] HandleList take() { return std::move(list_); }

 private:
  // The table of a handle in a field; none for null.
  template <class Value>
  [[nodiscard]] std::optional<TableId> table_of_value(const Value& value) const {
    if (value.is_null()) return std::nullopt;
    if constexpr (std::is_same_v<Value, hdb::AnyHandle>) {
      return table_named(world_.database.table_of(value));
    } else {
      return table_of<Value>(world_);
    }
  }

  const World& world_;
  const Ledger& ledger_;
  HandleList list_;
};

}  // namespace

std::size_t HandleList::stale_count() const {
  return static_cast<std::size_t>(
      std::count_if(handles.begin(), handles.end(), [](const auto& h) { return !h.is_live; }));
}

HandleList list_handles(const World& world, const SoundSystem& sound, const Hud& hud,
                        const Ledger& ledger) {
  Collector collector(world, ledger);
  for_each_table(world, [&](TableId id, const auto& table) { collector.add_table(id, table); });
  std::as_const(world.sounds).for_each([&](SoundHandle handle, const SoundInfo&, auto) {
    collector.add("table sounds", TableId::sounds, handle.bits());
  });
  collector.add_fields("graveyard", *world.graveyard);
  collector.add_fields("agenda", *world.agenda);
  collector.add_fields("cast", *world.cast);
  if (hud.bar) collector.add(kHudHolder, TableId::textures, hud.bar.handle().bits());
  for (std::size_t i = 0; i < sound.channels().size(); ++i) {
    const SoundSystem::Channel& channel = sound.channels()[i];
    if (channel.bits != 0) collector.add(fmt::format("sound {}", i), channel.table, channel.bits);
  }
  HandleList list = collector.take();
  list.next_channel = sound.next();
  return list;
}

tl::expected<HandleList, std::string> parse_handle_list(const std::string& text) {
  auto list = from_json<HandleList>(text);
  if (!list) return list;
  if (list->next_channel >= SoundSystem::kChannels)
    return tl::unexpected<std::string>("the next channel does not exist");
  for (const HeldHandle& held : list->handles) {
    if (static_cast<std::size_t>(held.table) >= kTableNames.size())
      return tl::unexpected<std::string>(held.holder + ": the table does not exist");
  }
  return list;
}

SoundSystem sound_of(const HandleList& list) {
  std::vector<SoundSystem::Channel> channels(SoundSystem::kChannels);
  constexpr std::string_view kHolder = "sound ";
  for (const HeldHandle& held : list.handles) {
    if (!held.holder.starts_with(kHolder)) continue;
    const std::size_t channel = std::strtoull(held.holder.c_str() + kHolder.size(), nullptr, 10);
    if (channel < channels.size()) channels[channel] = {held.table, held.bits};
  }
  return SoundSystem(std::move(channels), list.next_channel);
}

TextureHandle hud_bar_of(const HandleList& list) {
  for (const HeldHandle& held : list.handles) {
    if (held.holder == kHudHolder) {
      return TextureHandle::from_bits(static_cast<TextureHandle::Bits>(held.bits));
    }
  }
  return {};
}

ListCheck check_handle_list(const World& world, const HandleList& list) {
  ListCheck check;
  for (const HeldHandle& held : list.handles) {
    const std::optional<Content> found = resolve(world, held.table, held.bits);
    const bool is_right = held.is_live ? found == held.content : !found.has_value();
    std::size_t& counter = held.is_live ? (is_right ? check.live_right : check.live_wrong)
                                        : (is_right ? check.stale_right : check.stale_wrong);
    ++counter;
    if (!is_right && check.first_wrong.empty()) {
      check.first_wrong =
          fmt::format("{} {}:{:#x} must be {}, but is {}", held.holder,
                      kTableNames[static_cast<std::size_t>(held.table)], held.bits,
                      held.is_live ? held.content.title : "stale", found ? found->title : "stale");
    }
  }
  return check;
}

}  // namespace demo
