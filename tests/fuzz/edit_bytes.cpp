// Edits of plain bytes and numbers.
#include "edit_bytes.hpp"

#include <algorithm>
#include <limits>

namespace hdb::fuzz {
namespace {

constexpr std::size_t kMostBytes = 64;  // of one edit

void put_number(Bytes& bytes, std::ptrdiff_t at, FuzzedDataProvider& in) {
  std::byte buffer[kMaxVarintBytes];
  const std::uint64_t value = edited_number(0, in);
  store_le(buffer, value);
  std::size_t size = std::size_t{1} << in.ConsumeIntegralInRange<unsigned>(0, 3);
  if (in.ConsumeBool()) size = store_varint(buffer, value);
  const auto room = std::min(bytes.size() - static_cast<std::size_t>(at), size);
  std::copy_n(buffer, room, bytes.begin() + at);
}

}  // namespace

std::uint64_t edited_number(std::uint64_t present, FuzzedDataProvider& in) {
  switch (in.ConsumeIntegralInRange(0, 5)) {
    case 0: return present + in.ConsumeIntegral<std::uint8_t>();
    case 1: return present - in.ConsumeIntegral<std::uint8_t>();
    case 2: return std::uint64_t{1} << in.ConsumeIntegralInRange<unsigned>(0, 63);
    case 3: return std::numeric_limits<std::uint64_t>::max() >> in.ConsumeIntegralInRange(0, 63);
    case 4: return in.ConsumeIntegral<std::uint8_t>();
    default: return in.ConsumeIntegral<std::uint64_t>();
  }
}

void edit_bytes(Bytes& bytes, FuzzedDataProvider& in) {
  const auto pick = [&] {
    return static_cast<std::ptrdiff_t>(in.ConsumeIntegralInRange<std::size_t>(0, bytes.size()));
  };
  std::ptrdiff_t first = pick();
  std::ptrdiff_t last = static_cast<std::ptrdiff_t>(
      std::min(bytes.size(),
               static_cast<std::size_t>(first) + in.ConsumeIntegralInRange<std::size_t>(0, 9)));
  const auto value = static_cast<std::byte>(in.ConsumeIntegral<std::uint8_t>());
  switch (in.ConsumeIntegralInRange(0, 7)) {
    case 0: std::fill(bytes.begin() + first, bytes.begin() + last, value); return;
    case 1:
      std::for_each(bytes.begin() + first, bytes.begin() + last,
                    [value](std::byte& byte) { byte ^= value; });
      return;
    case 2:
      bytes.insert(bytes.begin() + first, static_cast<std::size_t>(last - first), value);
      return;
    case 3: bytes.erase(bytes.begin() + first, bytes.begin() + last); return;
    case 4: bytes.resize(static_cast<std::size_t>(first)); return;
    case 5: return put_number(bytes, first, in);
    case 6: {
      const auto more = in.ConsumeBytes<std::uint8_t>(kMostBytes);
      const auto room = std::min(more.size(), bytes.size() - static_cast<std::size_t>(first));
      std::transform(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(room),
                     bytes.begin() + first,
                     [](std::uint8_t byte) { return static_cast<std::byte>(byte); });
      return;
    }
    default: {
      const Bytes piece(bytes.begin() + first, bytes.begin() + last);
      bytes.insert(bytes.begin() + pick(), piece.begin(), piece.end());
      return;
    }
  }
}

}  // namespace hdb::fuzz
