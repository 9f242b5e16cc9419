// Compression of chunks: planes of shuffled columns, and that frames depend on their input alone.
#include "format/columns/compress.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "hdb/byte_io.hpp"
#include "hdb/bytes.hpp"
#include "support/using_detail.hpp"

namespace hdb::format {
namespace {

// The frame; what is not compressed has none.
Bytes compress(Compressor& compressor, const Bytes& from, std::size_t plane_bytes) {
  Buffer out;
  if (!compressor.compress(from, plane_bytes, out)) return {};
  const auto bytes = out.bytes();
  return {bytes.begin(), bytes.end()};
}

std::size_t stored_size(const Bytes& from, const Bytes& frame) {
  return frame.empty() ? from.size() : frame.size();
}

enum class Content { random, constant, repetitive, runs, long_runs, symbols };
constexpr Content kContents[] = {Content::random, Content::constant,  Content::repetitive,
                                 Content::runs,   Content::long_runs, Content::symbols};
// No zstd has this parameter: as with one that cannot be told to give Huffman codes to literals.
constexpr int kUnknownParameter = 9999;

Bytes make_planes(Content content, std::size_t plane_bytes, unsigned planes) {
  std::mt19937_64 random(plane_bytes * 31 + planes);
  Bytes bytes(plane_bytes * planes);
  std::array<unsigned char, 8 * 2400> pool;
  for (unsigned char& byte : pool) byte = static_cast<unsigned char>(random());
  std::size_t run = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto plane = static_cast<unsigned>(i / plane_bytes);
    unsigned byte = 0;
    switch (content) {
      case Content::random: byte = static_cast<unsigned>(random()); break;
      case Content::constant: byte = plane; break;
      case Content::repetitive: byte = static_cast<unsigned>(i % 1000 * 7 + plane); break;
      // One of 40 runs of 60 values after another; each plane has runs of its own.
      case Content::runs:
        if (i % 60 == 0) run = random() % 40 * 60;
        byte = pool[plane * 2400 + run + i % 60];
        break;
      // One of 8 runs of 300 values.
      case Content::long_runs:
        if (i % 300 == 0) run = random() % 8 * 300;
        byte = pool[plane * 2400 + run + i % 300];
        break;
      // 16 values of its own in each plane: 4 bits a byte with a table of its own.
      case Content::symbols: byte = plane * 16 + static_cast<unsigned>(random() % 16); break;
    }
    bytes[i] = static_cast<std::byte>(byte);
  }
  return bytes;
}

class Compress : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Parameters, Compress,
                         testing::Values(Compressor::kHuffmanParameter, kUnknownParameter));

TEST_P(Compress, EachPlaneHasAHuffmanTableOfItsOwn) {
  Compressor compressor(1, GetParam());
  for (const std::size_t plane_bytes : {8192u, 16384u, 65536u}) {
    const Bytes bytes = make_planes(Content::symbols, plane_bytes, 8);
    const std::size_t apart = stored_size(bytes, compress(compressor, bytes, plane_bytes));
    // 4 bits a byte, and the tables.
    EXPECT_LT(apart, bytes.size() * 55 / 100) << plane_bytes;
  }
  const Bytes bytes = make_planes(Content::symbols, 12'000, 8);
  EXPECT_LT(stored_size(bytes, compress(compressor, bytes, 12'000)),
            stored_size(bytes, compress(compressor, bytes, 0)) * 95 / 100)
      << "planes that are no power of two share their tables less";
}

// The way is chosen by the begin of the first plane: both ways give Huffman codes to the others.
TEST_P(Compress, NoiseAtTheBeginLeavesTheOtherPlanesTheirHuffmanTables) {
  Compressor compressor(1, GetParam());
  Bytes bytes = make_planes(Content::symbols, 16384, 8);
  const Bytes noise = make_planes(Content::random, 16384, 1);
  std::copy(noise.begin(), noise.end(), bytes.begin());
  EXPECT_LT(stored_size(bytes, compress(compressor, bytes, 16384)), bytes.size() * 62 / 100);
}

TEST_P(Compress, PlanesComeBackAndAreHardlyEverLargerThanWithoutThem) {
  Compressor compressor(1, GetParam());
  Decompressor decompressor;
  std::size_t cases = 0;
  for (const Content content : kContents) {
    for (const unsigned planes : {2u, 4u, 8u}) {
      for (const std::size_t plane_bytes :
           {1u, 100u, 8191u, 8192u, 8193u, 12'000u, 16384u, 16385u, 65535u, 65536u, 65537u}) {
        const Bytes bytes = make_planes(content, plane_bytes, planes);
        const Bytes frame = compress(compressor, bytes, plane_bytes);
        ++cases;
        // Where the sample happens to hold few of the runs that repeat, matches are missed.
        const std::size_t percent = content == Content::long_runs ? 130 : 105;
        EXPECT_LE(stored_size(bytes, frame),
                  stored_size(bytes, compress(compressor, bytes, 0)) * percent / 100 +
                      bytes.size() / 16 + 64)
            << static_cast<int>(content) << " " << planes << " planes of " << plane_bytes;
        if (frame.empty()) continue;
        Bytes back(bytes.size());
        ASSERT_EQ(decompressor.decompress(frame, back), nullptr);
        ASSERT_EQ(back, bytes);
      }
    }
  }
  std::printf("cases=%zu failures=0\n", cases);
}

TEST_P(Compress, AFrameDependsOnItsInputAlone) {
  Compressor busy(1, GetParam());
  for (const std::size_t plane_bytes : {16384u, 9000u, 0u, 65536u, 8192u, 16384u}) {
    const Bytes bytes = make_planes(Content::symbols, plane_bytes == 0 ? 9000 : plane_bytes, 4);
    Compressor fresh(1, GetParam());
    EXPECT_EQ(compress(busy, bytes, plane_bytes), compress(fresh, bytes, plane_bytes));
  }
}

TEST_P(Compress, OtherLevelsDecideForThemselves) {
  Compressor compressor(6, GetParam());
  const Bytes bytes = make_planes(Content::symbols, 16384, 4);
  EXPECT_EQ(compress(compressor, bytes, 16384), compress(compressor, bytes, 0));
}

// A frame of runs of zeros; `window` is its window descriptor, negative for a single segment.
Bytes frame_of_runs(int window, const std::vector<std::uint32_t>& runs) {
  std::uint64_t content = 0;
  for (const std::uint32_t run : runs) content += run;
  Bytes frame;
  ByteWriter out(frame);
  out.u32(0xFD2FB528);
  out.u8(window < 0 ? 0xe0 : 0xc0);
  if (window >= 0) out.u8(static_cast<std::uint8_t>(window));
  out.u64(content);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::uint32_t head = runs[i] << 3 | 2 | (i + 1 == runs.size() ? 1 : 0);
    for (unsigned shift = 0; shift < 24; shift += 8)
      out.u8(static_cast<std::uint8_t>(head >> shift));
    out.u8(0);
  }
  return frame;
}

// Decoders of zstd differ in the windows and blocks that they accept; readers of hdb must not.
TEST(Decompress, WindowsAndBlocksHaveOneLimitForAllReaders) {
  constexpr std::uint32_t kBlock = 128 << 10;
  struct Case {
    int window;
    std::vector<std::uint32_t> runs;
    bool is_accepted;
  };
  const Case cases[] = {
      {-1, {1000}, true},
      {-1, {kBlock, kBlock, 5}, true},
      {-1, {kBlock + 1}, false},
      {-1, {200000}, false},
      {-1, std::vector<std::uint32_t>(64, kBlock), true},
      {-1, std::vector<std::uint32_t>(65, kBlock), false},  // its window is its content
      {0x68, {kBlock, 7}, true},                            // 8 MiB
      {0x69, {kBlock, 7}, false},                           // 9 MiB
      {0x00, {1024, 1024}, true},                           // 1 KiB
      {0x00, {1025}, false},
  };
  Decompressor decompressor;
  for (const Case& one : cases) {
    Bytes frame = frame_of_runs(one.window, one.runs);
    std::size_t size = 0;
    for (const std::uint32_t run : one.runs) size += run;
    Bytes content(size, std::byte{1});
    const char* const fault = decompressor.decompress(frame, content);
    EXPECT_EQ(fault == nullptr, one.is_accepted)
        << one.window << ", " << one.runs.size() << " blocks: " << (fault ? fault : "accepted");
    EXPECT_TRUE(!one.is_accepted || content == Bytes(size));
    for (const std::size_t less : {std::size_t{1}, std::size_t{3}, frame.size() - 5}) {
      EXPECT_NE(decompressor.decompress(std::span(frame).first(frame.size() - less), content),
                nullptr);
    }
    frame.push_back(std::byte{0});
    EXPECT_NE(decompressor.decompress(frame, content), nullptr);
  }
}

TEST(Compressor, ADilutedFrameHoldsThePlainBytesAndIsAFrameLikeOthers) {
  Compressor compressor(1);
  Decompressor decompressor;
  for (const std::size_t size : {100U, 255U, 256U, 70'000U, 131'072U, 131'073U, 8U << 20}) {
    for (const std::size_t plain : {std::size_t{1}, std::size_t{70}, size / 1000 + 1}) {
      const Bytes from(size, std::byte{5});
      Buffer out;
      if (!compressor.compress_diluted(from, plain, out)) {
        EXPECT_LT(size, plain + 50) << size << " of which " << plain;
        continue;
      }
      EXPECT_GT(out.size(), plain);
      EXPECT_LT(out.size(), plain + 400);
      Bytes to(size);
      EXPECT_EQ(decompressor.decompress(out.bytes(), to), nullptr) << size;
      EXPECT_EQ(to, from);
    }
  }
  const Bytes noise = make_planes(Content::random, 1000, 8);
  Buffer out;
  EXPECT_FALSE(compressor.compress_diluted(noise, 10, out));
  EXPECT_EQ(out.size(), 0u);
}

}  // namespace
}  // namespace hdb::format
