// Saves through the storage of a console, which has no files to rename: a sink and a source over
// its calls, and two containers in turn, so that a save that fails costs nothing.
#include <hdb/hdb.hpp>
#include <hdb/inspect/reader.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

// What a platform offers, more or less: named containers of bytes, and little room.
class Card {
 public:
  explicit Card(std::size_t free_bytes) : free_bytes_(free_bytes) {}

  void erase(std::size_t container) {
    free_bytes_ += containers_[container].size();
    containers_[container].clear();
  }
  bool append(std::size_t container, std::span<const std::byte> bytes) {
    if (bytes.size() > free_bytes_) return false;
    free_bytes_ -= bytes.size();
    hdb::Bytes& to = containers_[container];
    to.insert(to.end(), bytes.begin(), bytes.end());
    return true;
  }
  [[nodiscard]] std::span<const std::byte> content(std::size_t container) const {
    return containers_[container];
  }

 private:
  std::array<hdb::Bytes, 2> containers_;
  std::size_t free_bytes_;
};

class CardSink final : public hdb::ByteSink {
 public:
  CardSink(Card& card, std::size_t container) : card_(card), container_(container) {}
  [[nodiscard]] hdb::Status write(std::span<const std::byte> bytes) override {
    if (card_.append(container_, bytes)) return {};
    return hdb::fail(hdb::ErrorCode::disk_full, "the card is full",
                     "container " + std::to_string(container_));
  }

 private:
  Card& card_;
  std::size_t container_;
};

class CardSource final : public hdb::ByteSource {
 public:
  CardSource(const Card& card, std::size_t container) : card_(card), container_(container) {}
  [[nodiscard]] hdb::Result<std::uint64_t> size() override {
    return card_.content(container_).size();
  }
  [[nodiscard]] hdb::Status read_at(std::uint64_t offset, std::span<std::byte> out) override {
    const auto bytes = card_.content(container_);
    if (offset > bytes.size() || out.size() > bytes.size() - offset) {
      return hdb::fail(hdb::ErrorCode::truncated, "the container ends before", {}, offset);
    }
    const auto from = bytes.subspan(static_cast<std::size_t>(offset), out.size());
    std::copy(from.begin(), from.end(), out.begin());
    return {};
  }

 private:
  const Card& card_;
  std::size_t container_;
};

struct City {
  std::int32_t people = 0;
  hdb::Bytes map;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "console_storage: %s\n", what.c_str());
  return 1;
}

// The containers with a whole save, newest first, by their sequence numbers. Reads a few KiB.
std::vector<std::pair<std::uint64_t, std::size_t>> saves_on(const Card& card) {
  std::vector<std::pair<std::uint64_t, std::size_t>> saves;
  for (const std::size_t container : {std::size_t{0}, std::size_t{1}}) {
    CardSource source(card, container);
    const auto info = hdb::read_info(source);
    if (info) saves.emplace_back(info->metadata.sequence, container);
  }
  std::sort(saves.rbegin(), saves.rend());
  return saves;
}

hdb::Status save(Card& card, const hdb::Snapshot& snapshot) {
  const auto saves = saves_on(card);
  const std::size_t container = saves.empty() ? 0 : 1 - saves.front().second;  // not the newest
  hdb::SaveOptions options;
  options.metadata.sequence = saves.empty() ? 1 : saves.front().first + 1;
  card.erase(container);
  CardSink sink(card, container);
  auto saved = hdb::save(snapshot, sink, options);
  if (!saved) return hdb::fail(saved.error());
  std::printf("saved in container %zu\n", container);
  return {};
}

hdb::Status load(const Card& card, hdb::Database& db) {
  hdb::Status last = hdb::fail(hdb::ErrorCode::not_found, "the card has no save");
  for (const auto& [sequence, container] : saves_on(card)) {
    auto loaded = db.load(std::make_unique<CardSource>(card, container));  // checks every byte
    if (loaded) return {};
    last = hdb::fail(loaded.error());  // damaged: the one before
  }
  return last;
}

}  // namespace

int main() {
  Card card(6000);
  hdb::Database db;
  auto& city = db.singleton<City>("city");
  for (const std::int32_t people : {100, 200, 300}) {
    city.edit().people = people;
    if (const auto saved = save(card, db.capture()); !saved) return failed(saved.error().message());
  }

  city.edit().people = 400;
  std::uint32_t noise = 1;  // a map that does not compress, and does not fit
  for (int i = 0; i < 8000; ++i) {
    noise = noise * 1664525u + 1013904223u;
    city.edit().map.push_back(static_cast<std::byte>(noise >> 24));
  }
  const auto saved = save(card, db.capture());
  if (saved) return failed("8000 bytes fit on a card of 6000");
  std::printf("%s\n", saved.error().message().c_str());
  if (saved.error().code != hdb::ErrorCode::disk_full) return failed("another error");

  if (const auto loaded = load(card, db); !loaded) return failed(loaded.error().message());
  std::printf("loaded: %d people\n", city->people);
  return city->people == 300 && city->map.empty() ? 0 : failed("the last save is lost");
}
