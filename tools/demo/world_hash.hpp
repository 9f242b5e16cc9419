// Plain hashes of the world, computed without hdb's hashes: what two equal games must agree on.
#pragma once

#include <cstdint>
#include <string_view>

#include "fields.hpp"
#include "sound.hpp"
#include "world.hpp"

namespace demo {

/// FNV-1a with 64 bits.
class PlainHash {
 public:
  void add(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  /// All fields of a record; handles by their raw bits.
  template <class Record>
  void add_record(const Record& record) {
    visit_fields(record, [this](std::string_view, const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      if constexpr (HandleLike<Value>) {
        add(std::uint64_t{value.bits()});
      } else if constexpr (std::is_same_v<Value, std::string>) {
        add(std::string_view(value));
      } else {
        add(static_cast<std::uint64_t>(value));
      }
    });
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  void add_byte(unsigned char byte) {
    value_ ^= byte;
    value_ *= 0x100000001b3u;
  }
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// Every record of every table in the order in which the game sees them, each with the raw bits of
/// its handle, and the bits that the sound system keeps.
[[nodiscard]] std::uint64_t world_hash(const World& world, const SoundSystem& sound);

/// One tick of a game, in short.
struct TickHashes {
  std::uint64_t moving =
      0;  ///< As world_hash, of what changes: things, missiles, sprites, events, clock, sounds.
  std::uint64_t fates =
      0;  ///< Names, places and health of all things: no handle, no order of slots.

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(moving), CEREAL_NVP(fates));
  }
  friend bool operator==(const TickHashes&, const TickHashes&) = default;
};
[[nodiscard]] TickHashes tick_hashes(const World& world, const SoundSystem& sound);

}  // namespace demo
