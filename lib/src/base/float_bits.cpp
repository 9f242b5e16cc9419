// IEEE 754 in integers. An f32 has 8 bits of exponent and 23 of fraction, an f64 has 11 and 52.
#include "base/float_bits.hpp"

#include <bit>

#include "hdb/detail/base/compiler.hpp"

#if HDB_HAS_SSE2
#include <xmmintrin.h>
#endif

namespace hdb {
namespace {

constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr unsigned kBias = 1023 - 127;

/// Whether the lowest bits of a number are all 0.
constexpr bool ends_in_zeros(std::uint64_t number, unsigned count) noexcept {
  return count < 64 ? (number & ((std::uint64_t{1} << count) - 1)) == 0 : number == 0;
}

}  // namespace

std::uint64_t widened(std::uint32_t bits) noexcept {
  const std::uint64_t sign = std::uint64_t{bits >> 31} << 63;
  const std::uint64_t exponent = bits >> 23 & 0xff;
  std::uint64_t fraction = bits & 0x7fffff;
  if (exponent == 0xff) return sign | std::uint64_t{0x7ff} << 52 | fraction << 29;
  if (exponent != 0) return sign | (exponent + kBias) << 52 | fraction << 29;
  if (fraction == 0) return sign;
  const unsigned width = static_cast<unsigned>(std::bit_width(fraction));  // denormal
  fraction <<= 24 - width;
  return sign | std::uint64_t{kBias + width - 23} << 52 | (fraction & 0x7fffff) << 29;
}

std::optional<std::uint32_t> narrowed(std::uint64_t bits) noexcept {
  const auto sign = static_cast<std::uint32_t>(bits >> 63 << 31);
  const auto exponent = static_cast<unsigned>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & kFraction;
  if (exponent == 0x7ff) {
    auto payload = static_cast<std::uint32_t>(fraction >> 29);
    if (payload == 0 && fraction != 0) payload = 1;  // else it were an infinity
    return sign | 0x7f800000U | payload;
  }
  if (exponent > kBias && exponent < kBias + 0xff) {
    if (!ends_in_zeros(fraction, 29)) return std::nullopt;
    return sign | (exponent - kBias) << 23 | static_cast<std::uint32_t>(fraction >> 29);
  }
  if ((bits & ~kSign) == 0) return sign;
  if (exponent == 0 || exponent > kBias) return std::nullopt;
  const std::uint64_t whole = fraction | (kFraction + 1);  // denormal in an f32
  const unsigned shift = 29 + 1 + (kBias - exponent);
  if (!ends_in_zeros(whole, shift)) return std::nullopt;
  return sign | static_cast<std::uint32_t>(whole >> shift);
}

std::optional<SignedMagnitude> whole_number(std::uint64_t bits) noexcept {
  const bool is_negative = (bits & kSign) != 0;
  if ((bits & ~kSign) == 0) return SignedMagnitude{0, is_negative};
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (exponent < 0 || exponent > 63) return std::nullopt;
  const std::uint64_t whole = (bits & kFraction) | (kFraction + 1);
  if (exponent >= 52) return SignedMagnitude{whole << (exponent - 52), is_negative};
  const auto shift = static_cast<unsigned>(52 - exponent);
  if (!ends_in_zeros(whole, shift)) return std::nullopt;
  return SignedMagnitude{whole >> shift, is_negative};
}

std::optional<std::uint64_t> float_of(SignedMagnitude number) noexcept {
  if (number.magnitude == 0) return 0;
  const auto width = static_cast<unsigned>(std::bit_width(number.magnitude));
  if (width > 53 && !ends_in_zeros(number.magnitude, width - 53)) return std::nullopt;
  const std::uint64_t whole =
      width > 53 ? number.magnitude >> (width - 53) : number.magnitude << (53 - width);
  return (number.is_negative ? kSign : 0) | std::uint64_t{1022 + width} << 52 | (whole & kFraction);
}

#if HDB_HAS_SSE2
constexpr unsigned kFlushBits = 0x8040;  // FTZ and DAZ of MXCSR

DenormalNumbers::DenormalNumbers() noexcept : before_(_mm_getcsr()) {
  if ((before_ & kFlushBits) != 0) _mm_setcsr(static_cast<unsigned>(before_) & ~kFlushBits);
}
DenormalNumbers::~DenormalNumbers() {
  if ((before_ & kFlushBits) != 0) _mm_setcsr(_mm_getcsr() | (before_ & kFlushBits));
}
#elif defined(HDB_READ_FPCR)
constexpr std::uint64_t kFlushBits = std::uint64_t{1} << 24;  // FZ of FPCR

DenormalNumbers::DenormalNumbers() noexcept {
  HDB_READ_FPCR(before_);
  if ((before_ & kFlushBits) != 0) HDB_WRITE_FPCR(before_ & ~kFlushBits);
}
DenormalNumbers::~DenormalNumbers() {
  if ((before_ & kFlushBits) != 0) HDB_WRITE_FPCR(before_);
}
#else
DenormalNumbers::DenormalNumbers() noexcept = default;
DenormalNumbers::~DenormalNumbers() = default;
#endif

}  // namespace hdb
