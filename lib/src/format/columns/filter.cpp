// Choosing, applying and undoing filters.
#include "format/columns/filter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/compiler.hpp"

#if HDB_HAS_SSE2
#include <emmintrin.h>
#endif

namespace hdb::format {
namespace {

constexpr std::size_t kSamples = 4;        // places that are looked at
constexpr std::size_t kSampleValues = 33;  // neighbours at each place

bool all_equal(std::span<const std::byte> raw, unsigned width) noexcept {
  return std::memcmp(raw.data(), raw.data() + width, raw.size() - width) == 0;
}

// Whether differences change far less from one to the next than the values do: true for counters.
template <class T>
bool delta_wins(std::span<const std::byte> raw) noexcept {
  const std::size_t count = raw.size() / sizeof(T);
  if (count < kSampleValues) return false;
  unsigned unfiltered_bits = 0;
  unsigned delta_bits = 0;
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    const std::size_t begin = (count - kSampleValues) / (kSamples - 1) * sample;
    T before = load_le<T>(raw.data() + begin * sizeof(T));
    T delta_before = 0;
    for (std::size_t i = 1; i < kSampleValues; ++i) {
      const T value = load_le<T>(raw.data() + (begin + i) * sizeof(T));
      const T delta = static_cast<T>(value - before);
      unfiltered_bits += static_cast<unsigned>(std::bit_width(static_cast<T>(value ^ before)));
      if (i > 1)
        delta_bits += static_cast<unsigned>(std::bit_width(static_cast<T>(delta ^ delta_before)));
      before = value;
      delta_before = delta;
    }
  }
  return 2 * delta_bits < unfiltered_bits;
}

// Differences of each of `count` values and the one before it in memory.
template <class T>
void subtract_neighbours(const std::byte* from, std::size_t count, std::byte* to) noexcept {
  std::size_t i = 0;
#if HDB_HAS_SSE2
  constexpr std::size_t kLanes = 16 / sizeof(T);
  for (; i + kLanes <= count; i += kLanes) {
    const auto* const at = from + i * sizeof(T);
    const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i before = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at - sizeof(T)));
    const __m128i deltas =
        sizeof(T) == 4 ? _mm_sub_epi32(values, before) : _mm_sub_epi64(values, before);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * sizeof(T)), deltas);
  }
#endif
  for (; i < count; ++i) {
    const T value = load_le<T>(from + i * sizeof(T));
    const T before = load_le<T>(from + i * sizeof(T) - sizeof(T));
    store_le(to + i * sizeof(T), static_cast<T>(value - before));
  }
}

constexpr std::size_t kStretch = 1024;  // values that stay in the first-level cache

template <class T>
void delta_shuffle(std::span<const std::byte> raw, std::byte* out) noexcept {
  const std::size_t count = raw.size() / sizeof(T);
  std::byte deltas[kStretch * sizeof(T)];
  for (std::size_t begin = 0; begin < count; begin += kStretch) {
    const std::size_t size = std::min(kStretch, count - begin);
    const std::byte* const from = raw.data() + begin * sizeof(T);
    // The first value of all has none before it.
    const std::size_t first = begin == 0 ? 1 : 0;
    if (first == 1) std::memcpy(deltas, from, sizeof(T));
    subtract_neighbours<T>(from + first * sizeof(T), size - first, deltas + first * sizeof(T));
    shuffle(deltas, size, sizeof(T), out + begin, count);
  }
}

// Makes values of differences; `sum` is the value before the first one, and then the last one.
template <class T>
void sum_deltas(std::span<std::byte> raw, T& sum) noexcept {
  for (std::size_t at = 0; at < raw.size(); at += sizeof(T)) {
    sum = static_cast<T>(sum + load_le<T>(raw.data() + at));
    store_le(raw.data() + at, sum);
  }
}

template <class T>
void undo_delta_shuffle(std::span<const std::byte> filtered, std::span<std::byte> raw) noexcept {
  const std::size_t count = raw.size() / sizeof(T);
  T sum = 0;
  for (std::size_t begin = 0; begin < count; begin += kStretch) {
    const std::size_t size = std::min(kStretch, count - begin);
    const auto to = raw.subspan(begin * sizeof(T), size * sizeof(T));
    unshuffle(filtered.data() + begin, count, size, sizeof(T), to.data());
    sum_deltas<T>(to, sum);
  }
}

// The values of a constant column: doubles what is already filled in.
void repeat(std::span<const std::byte> value, std::span<std::byte> raw) noexcept {
  std::memcpy(raw.data(), value.data(), value.size());
  for (std::size_t done = value.size(); done < raw.size(); done *= 2)
    std::memcpy(raw.data() + done, raw.data(), std::min(done, raw.size() - done));
}

}  // namespace

Filter choose_filter(std::span<const std::byte> raw, unsigned width) noexcept {
  if (raw.size() < 2 * std::size_t{width}) return Filter::none;
  if (all_equal(raw, width)) return Filter::constant;
  if (width == 4 && delta_wins<std::uint32_t>(raw)) return Filter::delta_shuffle;
  if (width == 8 && delta_wins<std::uint64_t>(raw)) return Filter::delta_shuffle;
  return width > 1 ? Filter::shuffle : Filter::none;
}

std::size_t filtered_size(Filter filter, std::size_t raw_bytes, unsigned width) noexcept {
  return filter == Filter::constant ? width : raw_bytes;
}

bool filter_fits(Filter filter, std::size_t raw_bytes, unsigned width) noexcept {
  if (width != 1 && width != 2 && width != 4 && width != 8) return false;
  if (filter == Filter::none) return true;
  if (raw_bytes < 2 * std::size_t{width} || raw_bytes % width != 0) return false;
  if (filter == Filter::constant) return true;
  if (filter == Filter::shuffle) return width > 1;
  return filter == Filter::delta_shuffle && width >= 4;
}

void apply_filter(Filter filter, std::span<const std::byte> raw, unsigned width,
                  std::byte* out) noexcept {
  if (raw.empty()) return;
  switch (filter) {
    case Filter::none: std::memcpy(out, raw.data(), raw.size()); return;
    case Filter::constant: std::memcpy(out, raw.data(), width); return;
    case Filter::shuffle:
      shuffle(raw.data(), raw.size() / width, width, out, raw.size() / width);
      return;
    case Filter::delta_shuffle:
      if (width == 4) delta_shuffle<std::uint32_t>(raw, out);
      if (width == 8) delta_shuffle<std::uint64_t>(raw, out);
      return;
  }
}

void undo_filter(Filter filter, std::span<const std::byte> filtered, unsigned width,
                 std::span<std::byte> raw) noexcept {
  if (raw.empty()) return;
  switch (filter) {
    case Filter::none: std::memcpy(raw.data(), filtered.data(), raw.size()); return;
    case Filter::constant: repeat(filtered.first(width), raw); return;
    case Filter::shuffle: {
      const std::size_t count = raw.size() / width;
      unshuffle(filtered.data(), count, count, width, raw.data());
      return;
    }
    case Filter::delta_shuffle:
      if (width == 4) undo_delta_shuffle<std::uint32_t>(filtered, raw);
      if (width == 8) undo_delta_shuffle<std::uint64_t>(filtered, raw);
      return;
  }
}

Hash128 hash_unfiltered(Filter filter, std::span<const std::byte> filtered, unsigned width,
                        std::size_t raw_bytes) {
  if (filter == Filter::none) return hash128(filtered);
  std::byte buffer[kStretch * 8];
  const std::size_t count = raw_bytes / width;
  if (filter == Filter::constant)
    repeat(filtered.first(width), std::span(buffer).first(kStretch * width));
  std::uint32_t sum4 = 0;
  std::uint64_t sum8 = 0;
  Hasher128 hasher;
  for (std::size_t begin = 0; begin < count; begin += kStretch) {
    const std::size_t size = std::min(kStretch, count - begin);
    const auto raw = std::span(buffer).first(size * width);
    if (filter != Filter::constant)
      unshuffle(filtered.data() + begin, count, size, width, raw.data());
    if (filter == Filter::delta_shuffle && width == 4) sum_deltas(raw, sum4);
    if (filter == Filter::delta_shuffle && width == 8) sum_deltas(raw, sum8);
    if (size == count) return hash128(raw);
    hasher.update(raw);
  }
  return hasher.digest();
}

}  // namespace hdb::format
