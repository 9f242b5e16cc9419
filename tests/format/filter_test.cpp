// Filters: whatever is filtered comes back; the fast shuffle is the plain one; the choice is the
// data's.
#include "format/columns/filter.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <vector>

#include "hdb/bytes.hpp"

namespace hdb::format {
namespace {

constexpr Filter kAll[] = {Filter::none, Filter::constant, Filter::shuffle, Filter::delta_shuffle};

Bytes bytes_from(const std::vector<std::uint8_t>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

Bytes round_trip(Filter filter, const Bytes& raw, unsigned width) {
  Bytes filtered(filtered_size(filter, raw.size(), width));
  apply_filter(filter, raw, width, filtered.data());
  Bytes back(raw.size());
  undo_filter(filter, filtered, width, back);
  return back;
}

template <class T>
Bytes column(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) store_le(bytes.data() + i * sizeof(T), values[i]);
  return bytes;
}

RC_GTEST_PROP(Filter, AnyFilterThatFitsComesBack, ()) {
  const auto width = *rc::gen::element(1U, 2U, 4U, 8U);
  const auto count = *rc::gen::inRange<std::size_t>(0, 3000);
  const auto values = *rc::gen::container<std::vector<std::uint8_t>>(
      count * width, rc::gen::arbitrary<std::uint8_t>());
  const Bytes raw = bytes_from(values);
  for (const Filter filter : kAll) {
    if (filter == Filter::constant || !filter_fits(filter, raw.size(), width)) continue;
    RC_ASSERT(round_trip(filter, raw, width) == raw);
  }
  RC_ASSERT(round_trip(choose_filter(raw, width), raw, width) == raw);
}

RC_GTEST_PROP(Filter, ConstantComesBack, ()) {
  const auto width = *rc::gen::element(1U, 2U, 4U, 8U);
  const auto count = *rc::gen::inRange<std::size_t>(2, 5000);
  const auto value =
      *rc::gen::container<std::vector<std::uint8_t>>(width, rc::gen::arbitrary<std::uint8_t>());
  Bytes raw;
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::uint8_t byte : value) raw.push_back(std::byte{byte});
  }
  RC_ASSERT(choose_filter(raw, width) == Filter::constant);
  RC_ASSERT(round_trip(Filter::constant, raw, width) == raw);
}

RC_GTEST_PROP(Filter, EveryShuffleIsThePlainOne, ()) {
  const auto width = *rc::gen::element(1U, 2U, 4U, 8U);
  const auto count = *rc::gen::inRange<std::size_t>(0, 200);
  const auto stride = count + *rc::gen::inRange<std::size_t>(0, 50);
  const auto values = *rc::gen::container<std::vector<std::uint8_t>>(
      count * width, rc::gen::arbitrary<std::uint8_t>());
  const Bytes raw = bytes_from(values);
  Bytes plain(stride * width);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < width; ++k) plain[k * stride + i] = raw[i * width + k];
  }
  const std::span<const ShuffleKernel> all = shuffle_kernels();
  RC_ASSERT(!all.empty());
  for (std::size_t first = 0; first < all.size(); ++first) {
    for (const std::size_t some : {std::size_t{1}, all.size() - first}) {
      const auto kernels = all.subspan(first, some);
      Bytes planes(plain.size());
      shuffle_with(kernels, raw.data(), count, width, planes.data(), stride);
      RC_ASSERT(planes == plain);
      Bytes back(raw.size());
      unshuffle_with(kernels, plain.data(), stride, count, width, back.data());
      RC_ASSERT(back == raw);
    }
  }
}

RC_GTEST_PROP(Filter, HashOfFilteredBytesIsThatOfTheRawOnes, ()) {
  const auto width = *rc::gen::element(1U, 2U, 4U, 8U);
  const auto count = *rc::gen::inRange<std::size_t>(0, 5000);
  const auto values = *rc::gen::container<std::vector<std::uint8_t>>(
      count * width, rc::gen::arbitrary<std::uint8_t>());
  Bytes raw = bytes_from(values);
  for (const Filter filter : kAll) {
    if (!filter_fits(filter, raw.size(), width)) continue;
    if (filter == Filter::constant) {
      for (std::size_t i = width; i < raw.size(); ++i) raw[i] = raw[i - width];
    }
    Bytes filtered(filtered_size(filter, raw.size(), width));
    apply_filter(filter, raw, width, filtered.data());
    RC_ASSERT(hash_unfiltered(filter, filtered, width, raw.size()) == hash128(raw));
  }
}

TEST(Filter, ShufflePutsFirstBytesFirst) {
  const Bytes raw = column<std::uint16_t>({0x0201, 0x0403, 0x0605});
  Bytes out(6);
  shuffle(raw.data(), 3, 2, out.data(), 3);
  EXPECT_EQ(out, bytes_from({1, 3, 5, 2, 4, 6}));
}

TEST(Filter, DeltaIsAgainstTheValueBefore) {
  const Bytes raw = column<std::uint32_t>({5, 7, 6});
  Bytes out(12);
  apply_filter(Filter::delta_shuffle, raw, 4, out.data());
  EXPECT_EQ(out, bytes_from({5, 2, 0xff, 0, 0, 0xff, 0, 0, 0xff, 0, 0, 0xff}));
}

TEST(Filter, CountersAreDeltaCoded) {
  std::vector<std::uint32_t> counter(2000);
  std::iota(counter.begin(), counter.end(), 123456U);
  EXPECT_EQ(choose_filter(column(counter), 4), Filter::delta_shuffle);
  std::vector<std::uint64_t> wide(counter.begin(), counter.end());
  EXPECT_EQ(choose_filter(column(wide), 8), Filter::delta_shuffle);
}

TEST(Filter, NumbersAreShuffledAndBytesAreNot) {
  std::vector<std::uint32_t> noise(2000);
  std::uint32_t state = 1;
  for (std::uint32_t& value : noise) value = (state = state * 1664525 + 1013904223) >> 8;
  EXPECT_EQ(choose_filter(column(noise), 4), Filter::shuffle);
  EXPECT_EQ(choose_filter(column(noise), 8), Filter::shuffle);
  EXPECT_EQ(choose_filter(column(noise), 2), Filter::shuffle);
  EXPECT_EQ(choose_filter(column(noise), 1), Filter::none);
}

TEST(Filter, FewValuesAreLeftAlone) {
  EXPECT_EQ(choose_filter({}, 4), Filter::none);
  EXPECT_EQ(choose_filter(column<std::uint32_t>({1}), 4), Filter::none);
}

TEST(Filter, OnlySomeFiltersFit) {
  EXPECT_FALSE(filter_fits(Filter::shuffle, 9, 2));
  EXPECT_FALSE(filter_fits(Filter::shuffle, 8, 1));
  EXPECT_FALSE(filter_fits(Filter::shuffle, 9, 3));
  EXPECT_FALSE(filter_fits(Filter::delta_shuffle, 8, 2));
  EXPECT_FALSE(filter_fits(Filter::constant, 4, 4));
  EXPECT_FALSE(filter_fits(Filter::none, 4, 0));
  EXPECT_FALSE(filter_fits(static_cast<Filter>(4), 8, 4));
}

}  // namespace
}  // namespace hdb::format
