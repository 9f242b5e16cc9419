// An account of all handles issued, kept without hdb: the judge of which are live.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace demo {

enum class TableId : std::uint8_t {
  textures,
  sectors,
  sides,
  lines,
  things,
  missiles,
  shots,
  sprites,
  sounds
};
inline constexpr std::array<std::string_view, 9> kTableNames{
    "textures", "sectors", "sides", "lines", "things", "missiles", "shots", "sprites", "sounds"};

/// The game reports every birth and death; the ledger knows nothing of slots and generations.
class Ledger {
 public:
  void born(TableId table, std::uint64_t bits, std::uint32_t serial) {
    is_sound_ = living(table).emplace(bits, serial).second && is_sound_;
  }
  void died(TableId table, std::uint64_t bits) {
    is_sound_ = living(table).erase(bits) == 1 && is_sound_;
  }
  /// The serial number of the record that these bits must name; none when they are stale.
  [[nodiscard]] std::optional<std::uint32_t> serial_of(TableId table, std::uint64_t bits) const {
    const Handles& handles = living_[static_cast<std::size_t>(table)];
    const auto place = handles.find(bits);
    if (place == handles.end()) return std::nullopt;
    return place->second;
  }
  /// No two records alive ever had one handle, and none died twice.
  [[nodiscard]] bool is_sound() const noexcept { return is_sound_; }

 private:
  using Handles = std::unordered_map<std::uint64_t, std::uint32_t>;  // bits to serial number
  [[nodiscard]] Handles& living(TableId table) { return living_[static_cast<std::size_t>(table)]; }

  std::array<Handles, kTableNames.size()> living_;
  bool is_sound_ = true;
};

}  // namespace demo
