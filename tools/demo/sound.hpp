// The sound system: outside the database, it knows things and missiles by raw handle bits only.
#pragma once

#include <cstdint>
#include <vector>

#include "ledger.hpp"
#include "world.hpp"

namespace demo {

/// A ring of channels. A channel keeps the handle bits of the source of its sound, long after the
/// source is gone, until the ring comes round; what it keeps goes to the list of handles, not to
/// the save.
class SoundSystem {
 public:
  struct Channel {
    TableId table = TableId::things;
    std::uint64_t bits = 0;  ///< 0: never used.
    friend bool operator==(const Channel&, const Channel&) = default;
  };
  static constexpr std::size_t kChannels = 1024;

  SoundSystem() : channels_(kChannels) {}
  /// As it was when the list of handles was written. Requires: kChannels channels, next <
  /// kChannels.
  SoundSystem(std::vector<Channel> channels, std::size_t next)
      : channels_(std::move(channels)), next_(next) {}

  void play(TableId table, std::uint64_t bits);
  /// The latest thing that still lives of those that were heard `sounds_ago` sounds ago or earlier.
  /// The world's future depends on it, and so on bits that no save has seen.
  [[nodiscard]] ThingHandle heard(const World& world, std::size_t sounds_ago) const;

  [[nodiscard]] const std::vector<Channel>& channels() const noexcept { return channels_; }
  [[nodiscard]] std::size_t next() const noexcept { return next_; }

 private:
  std::vector<Channel> channels_;
  std::size_t next_ = 0;
};

}  // namespace demo
