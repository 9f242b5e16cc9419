// RFC 7693, sections 3.1 to 3.3, for one piece of memory.
#include "base/blake2b.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/compiler.hpp"

namespace hdb::detail {
namespace {

constexpr std::size_t kBlockBytes = 128;
constexpr std::array<std::uint64_t, 8> kStart{
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
// Which words of the block each step of a round mixes in.
constexpr std::uint8_t kOrder[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                         {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                         {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                         {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                         {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

using Words = std::array<std::uint64_t, 16>;

HDB_INLINE void mix(std::uint64_t& a, std::uint64_t& b, std::uint64_t& c, std::uint64_t& d,
                    std::uint64_t x, std::uint64_t y) noexcept {
  a += b + x;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + y;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

// The order is known to the compiler, so that it keeps the words in registers.
template <std::size_t Round>
HDB_INLINE void mix_all(Words& v, const Words& words) noexcept {
  constexpr auto& s = kOrder[Round % 10];
  mix(v[0], v[4], v[8], v[12], words[s[0]], words[s[1]]);
  mix(v[1], v[5], v[9], v[13], words[s[2]], words[s[3]]);
  mix(v[2], v[6], v[10], v[14], words[s[4]], words[s[5]]);
  mix(v[3], v[7], v[11], v[15], words[s[6]], words[s[7]]);
  mix(v[0], v[5], v[10], v[15], words[s[8]], words[s[9]]);
  mix(v[1], v[6], v[11], v[12], words[s[10]], words[s[11]]);
  mix(v[2], v[7], v[8], v[13], words[s[12]], words[s[13]]);
  mix(v[3], v[4], v[9], v[14], words[s[14]], words[s[15]]);
}

template <std::size_t... Round>
HDB_INLINE void mix_rounds(Words& v, const Words& words, std::index_sequence<Round...>) noexcept {
  (mix_all<Round>(v, words), ...);
}

// Takes in one block. `taken`: the bytes so far, this block's too.
void compress(std::array<std::uint64_t, 8>& state, const std::byte* block, std::uint64_t taken,
              bool is_last) noexcept {
  Words words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = load_le<std::uint64_t>(block + 8 * i);
  Words v;
  std::copy(state.begin(), state.end(), v.begin());
  std::copy(kStart.begin(), kStart.end(), v.begin() + 8);
  v[12] ^= taken;
  if (is_last) v[14] = ~v[14];
  mix_rounds(v, words, std::make_index_sequence<12>());
  for (std::size_t i = 0; i < state.size(); ++i) state[i] ^= v[i] ^ v[i + 8];
}

}  // namespace

std::array<std::byte, kBlake2bBytes> blake2b_256(std::span<const std::byte> bytes) {
  auto state = kStart;
  state[0] ^= 0x01010000 ^ kBlake2bBytes;  // no key, one thread
  std::size_t taken = 0;
  for (; bytes.size() - taken > kBlockBytes; taken += kBlockBytes)
    compress(state, bytes.data() + taken, taken + kBlockBytes, false);
  std::array<std::byte, kBlockBytes> last{};
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(taken), bytes.end(), last.begin());
  compress(state, last.data(), bytes.size(), true);
  std::array<std::byte, kBlake2bBytes> hash;
  for (std::size_t i = 0; i < kBlake2bBytes / 8; ++i) store_le(hash.data() + 8 * i, state[i]);
  return hash;
}

}  // namespace hdb::detail
