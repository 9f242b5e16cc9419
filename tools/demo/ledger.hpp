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
    auto [place, is_new] = of(table).living.emplace(bits, serial);
    is_sound_ = is_sound_ && is_new;
    static_cast<void>(place);
  }
  void died(TableId table, std::uint64_t bits) {
    is_sound_ = of(table).living.erase(bits) == 1 && is_sound_;
  }
  /// The serial number of the record that these bits must name; none when they are stale.
  [[nodiscard]] std::optional<std::uint32_t> serial_of(TableId table, std::uint64_t bits) const {
    const auto place = of(table).living.find(bits);
    if (place == of(table).living.end()) return std::nullopt;
    return place->second;
  }
  /// No two records alive ever had one handle, and none died twice.
  [[nodiscard]] bool is_sound() const noexcept { return is_sound_; }

 private:
  struct Account {
    std::unordered_map<std::uint64_t, std::uint32_t> living;
  };
  [[nodiscard]] Account& of(TableId table) { return accounts_[static_cast<std::size_t>(table)]; }
  [[nodiscard]] const Account& of(TableId table) const {
    return accounts_[static_cast<std::size_t>(table)];
  }

  std::array<Account, kTableNames.size()> accounts_;
  bool is_sound_ = true;
};

}  // namespace demo
