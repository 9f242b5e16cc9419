// blob_*: what it costs to keep blocks of bytes without gaps, against moving the bytes alone.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bench.hpp"
#include "hdb/blob_table.hpp"

namespace hdb::bench {
namespace {

constexpr std::size_t kBlocks = 10'000;
constexpr std::size_t kBlockBytes = 1024;
constexpr std::size_t kErased = 100;  // at each release: each moves half of the buffer

struct Sound {
  std::uint32_t rate = 0;
};

using Sounds = BlobTable<Sound>;

std::vector<Handle<Sound>> fill(Sounds& sounds) {
  sounds.clear();
  const std::vector<std::byte> bytes(kBlockBytes, std::byte{7});
  std::vector<Handle<Sound>> handles;
  handles.reserve(kBlocks);
  for (std::size_t i = 0; i < kBlocks; ++i) handles.push_back(*sounds.insert({11'025}, bytes));
  return handles;
}

// Nanoseconds an erase, for the first `count` blocks of `order`.
template <class Erase>
double erase_some(const std::vector<std::uint32_t>& order, std::size_t count, const Erase& erase) {
  return time_each_ns(count, [&] {
    for (std::size_t i = 0; i < count; ++i) erase(order[i]);
  });
}

}  // namespace

void blob_rows(Bench& bench) {
  if (!bench.wants({"blob_erase_compacting", "blob_compact", "blob_erase"})) return;
  const auto order = shuffled(kBlocks);
  const std::uint64_t capacity = kBlocks * kBlockBytes;
  std::vector<std::byte> plain(capacity);

  Sounds packed({.capacity_bytes = capacity, .compaction = Compaction::at_release});
  bench.compare(
      {.name = "blob_erase_compacting", .note = "10,000 blocks of 1 KiB, / memmove behind"},
      [&] {
        const auto handles = fill(packed);
        return erase_some(order, kErased, [&](std::uint32_t i) { packed.erase(handles[i]); });
      },
      [&] {
        // Block i lies at most where it began: blocks before it have gone.
        std::size_t end = capacity;
        return erase_some(order, kErased, [&](std::uint32_t i) {
          const std::size_t at = std::size_t{i} * kBlockBytes;
          if (at + kBlockBytes >= end) return;
          std::memmove(plain.data() + at, plain.data() + at + kBlockBytes, end - at - kBlockBytes);
          end -= kBlockBytes;
        });
      });

  Sounds loose({.capacity_bytes = capacity, .compaction = Compaction::on_demand});
  bench.measure({.name = "blob_erase", .unit = "ns", .note = "compaction on demand"}, [&] {
    const auto handles = fill(loose);
    return erase_some(order, kBlocks / 2, [&](std::uint32_t i) { loose.erase(handles[i]); });
  });
  bench.compare(
      {.name = "blob_compact", .note = "half of them gone, / memmove of the rest"},
      [&] {
        const auto handles = fill(loose);
        for (std::size_t i = 0; i < kBlocks / 2; ++i) loose.erase(handles[order[i]]);
        return time_ns([&] { loose.compact(); });
      },
      [&] {
        std::vector<bool> gone(kBlocks);
        for (std::size_t i = 0; i < kBlocks / 2; ++i) gone[order[i]] = true;
        return time_ns([&] {
          std::size_t to = 0;
          for (std::size_t i = 0; i < kBlocks; ++i) {
            if (gone[i]) continue;
            std::memmove(plain.data() + to, plain.data() + i * kBlockBytes, kBlockBytes);
            to += kBlockBytes;
          }
        });
      });
}

}  // namespace hdb::bench
