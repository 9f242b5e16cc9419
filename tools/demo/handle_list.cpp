// Collects, writes, reads and checks the list of handles.
#include "handle_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "world_hash.hpp"

namespace demo {
namespace {

constexpr const char* kHudHolder = "hud";

template <class Tag>
constexpr TableId table_of() {
  if constexpr (std::is_same_v<Tag, Texture>) return TableId::textures;
  if constexpr (std::is_same_v<Tag, Sector>) return TableId::sectors;
  if constexpr (std::is_same_v<Tag, Side>) return TableId::sides;
  if constexpr (std::is_same_v<Tag, Line>) return TableId::lines;
  if constexpr (std::is_same_v<Tag, Thing>) return TableId::things;
  if constexpr (std::is_same_v<Tag, Missile>) return TableId::missiles;
  if constexpr (std::is_same_v<Tag, Shot>) return TableId::shots;
  if constexpr (std::is_same_v<Tag, Sprite>) return TableId::sprites;
  if constexpr (std::is_same_v<Tag, SoundInfo>) return TableId::sounds;
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
  switch (table) {
    case TableId::textures: return find_content(world.textures.table(), bits);
    case TableId::sectors: return find_content(world.sectors, bits);
    case TableId::sides: return find_content(world.sides, bits);
    case TableId::lines: return find_content(world.lines, bits);
    case TableId::things: return find_content(world.things, bits);
    case TableId::missiles: return find_content(world.missiles, bits);
    case TableId::shots: return find_content(world.shots, bits);
    case TableId::sprites: return find_content(world.sprites, bits);
    case TableId::sounds: return find_sound(world, bits);
  }
  return std::nullopt;
}

class Collector {
 public:
  Collector(const World& world, const Ledger& ledger) : world_(world), ledger_(ledger) {}

  // The handle of every record of a table, and those in it.
  template <class Table>
  void add_table(const Table& table) {
    constexpr TableId kId = table_of<typename Table::HandleType::Tag>();
    const std::string holder = fmt::format("table {}", kTableNames[static_cast<std::size_t>(kId)]);
    for (const auto& [handle, record] : table.entries()) {
      add(holder, kId, handle.bits());
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
      return table_of<typename Value::Tag>();
    }
  }

  const World& world_;
  const Ledger& ledger_;
  HandleList list_;
};

// Reads a number in base 10, or in base 16 after "0x".
template <class Number>
bool read_number(std::string_view text, Number& number) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc{} && stop == end;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    parts.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool parse_line(std::string_view line, HandleList& list) {
  const std::vector<std::string_view> parts = split(line);
  if (parts.size() == 2 && parts[0] == "next") return read_number(parts[1], list.next_channel);
  if (parts.size() < 4) return false;
  HeldHandle held;
  held.holder = parts[0];
  const auto table = table_named(parts[1]);
  if (!table || !read_number(parts[2], held.bits)) return false;
  held.table = *table;
  held.is_live = parts[3] == "live";
  if (held.is_live) {
    if (parts.size() != 7 || !read_number(parts[4], held.content.serial) ||
        !read_number(parts[5], held.content.fields)) {
      return false;
    }
    held.content.title = parts[6];
  } else if (parts[3] != "stale" || parts.size() != 4) {
    return false;
  }
  list.handles.push_back(std::move(held));
  return true;
}

}  // namespace

std::size_t HandleList::stale_count() const {
  return static_cast<std::size_t>(
      std::count_if(handles.begin(), handles.end(), [](const auto& h) { return !h.is_live; }));
}

HandleList list_handles(const World& world, const SoundSystem& sound, const Hud& hud,
                        const Ledger& ledger) {
  Collector collector(world, ledger);
  collector.add_table(world.textures.table());
  collector.add_table(world.sectors);
  collector.add_table(world.sides);
  collector.add_table(world.lines);
  collector.add_table(world.things);
  collector.add_table(world.missiles);
  collector.add_table(world.shots);
  collector.add_table(world.sprites);
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

std::string to_text(const HandleList& list) {
  std::string text = "# Every handle held, and the record that it must find.\n";
  auto out = std::back_inserter(text);
  fmt::format_to(out, "next\t{}\n", list.next_channel);
  for (const HeldHandle& held : list.handles) {
    fmt::format_to(out, "{}\t{}\t{:#x}\t", held.holder,
                   kTableNames[static_cast<std::size_t>(held.table)], held.bits);
    if (held.is_live) {
      fmt::format_to(out, "live\t{}\t{:#x}\t{}\n", held.content.serial, held.content.fields,
                     held.content.title);
    } else {
      fmt::format_to(out, "stale\n");
    }
  }
  return text;
}

tl::expected<HandleList, std::string> parse_handle_list(const std::string& text) {
  HandleList list;
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    if (!parse_line(line, list)) {
      return tl::unexpected<std::string>(fmt::format("line {} is malformed: {}", number, line));
    }
  }
  if (list.next_channel >= SoundSystem::kChannels) {
    return tl::unexpected<std::string>("the next channel does not exist");
  }
  return list;
}

SoundSystem sound_of(const HandleList& list) {
  std::vector<SoundSystem::Channel> channels(SoundSystem::kChannels);
  constexpr std::string_view kHolder = "sound ";
  for (const HeldHandle& held : list.handles) {
    std::size_t channel = channels.size();
    if (!held.holder.starts_with(kHolder) ||
        !read_number(std::string_view(held.holder).substr(kHolder.size()), channel)) {
      continue;
    }
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
