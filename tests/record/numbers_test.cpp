// Conversions of stored numbers: the same value, or none.
#include "evolve/numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "hdb/inspect/values.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::numbers_test {
namespace {

using evolve::conversion_error;
using evolve::convert_number;

constexpr FieldKind kNumbers[] = {FieldKind::boolean, FieldKind::i8,  FieldKind::i16,
                                  FieldKind::i32,     FieldKind::i64, FieldKind::u8,
                                  FieldKind::u16,     FieldKind::u32, FieldKind::u64,
                                  FieldKind::f32,     FieldKind::f64};

// Holds every i64, u64, f32 and f64 exactly.
using Exact = long double;
static_assert(std::numeric_limits<Exact>::digits >= 64);

Exact value_of(std::uint64_t bits, FieldKind kind) {
  switch (kind) {
    case FieldKind::i8: return static_cast<std::int8_t>(bits);
    case FieldKind::i16: return static_cast<std::int16_t>(bits);
    case FieldKind::i32: return static_cast<std::int32_t>(bits);
    case FieldKind::i64: return static_cast<Exact>(static_cast<std::int64_t>(bits));
    case FieldKind::f32: return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case FieldKind::f64: return std::bit_cast<double>(bits);
    default: return static_cast<Exact>(bits);
  }
}

/// Whether some number of the kind is equal to the value.
bool has_equal(Exact value, FieldKind kind) {
  const auto integers = [&](Exact lowest, Exact highest) {
    return value >= lowest && value <= highest && value == std::trunc(value);
  };
  switch (kind) {
    case FieldKind::boolean: return value == 0 || value == 1;
    case FieldKind::i8: return integers(-0x80, 0x7f);
    case FieldKind::i16: return integers(-0x8000, 0x7fff);
    case FieldKind::i32: return integers(-0x80000000LL, 0x7fffffff);
    case FieldKind::i64:
      return integers(static_cast<Exact>(std::numeric_limits<std::int64_t>::min()),
                      static_cast<Exact>(std::numeric_limits<std::int64_t>::max()));
    case FieldKind::u8: return integers(0, 0xff);
    case FieldKind::u16: return integers(0, 0xffff);
    case FieldKind::u32: return integers(0, 0xffffffffLL);
    case FieldKind::u64:
      return integers(0, static_cast<Exact>(std::numeric_limits<std::uint64_t>::max()));
    case FieldKind::f32: {
      const auto nearest = static_cast<Exact>(static_cast<float>(value));
      return std::isinf(value) || (!std::isinf(nearest) && nearest == value);
    }
    default: return static_cast<Exact>(static_cast<double>(value)) == value;
  }
}

/// Bits at and next to every limit of every kind.
std::vector<std::uint64_t> edges() {
  std::vector<std::uint64_t> bits;
  for (unsigned shift = 0; shift < 64; ++shift) {
    for (std::uint64_t step : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1}}) {
      bits.push_back((std::uint64_t{1} << shift) + step);
      bits.push_back(~((std::uint64_t{1} << shift) + step));
    }
    for (const double sign : {1.0, -1.0}) {
      const double power = sign * std::ldexp(1.0, static_cast<int>(shift) + 1);
      for (const double each : {power, std::nextafter(power, 0), power + 0.5, 1 / power}) {
        bits.push_back(std::bit_cast<std::uint64_t>(each));
        bits.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(each)));
      }
    }
  }
  for (const double each :
       {0.0, -0.0, 1e300, -1e300, 1e-300, 3.5e38, double{HUGE_VAL}, -HUGE_VAL}) {
    bits.push_back(std::bit_cast<std::uint64_t>(each));
  }
  return bits;
}

TEST(Numbers, AConversionKeepsTheValueOrIsRefused) {
  std::size_t cases = 0;
  for (const FieldKind from : kNumbers) {
    const unsigned width = evolve::leaf_width(from);
    for (std::uint64_t bits : edges()) {
      if (width < 8) bits &= (std::uint64_t{1} << (8 * width)) - 1;
      if (from == FieldKind::boolean) bits &= 1;
      const Exact value = value_of(bits, from);
      for (const FieldKind to : kNumbers) {
        const auto converted = convert_number(bits, from, to);
        if (std::isnan(value)) {
          ASSERT_EQ(converted.has_value(), evolve::is_float(to));
          if (converted) {
            ASSERT_TRUE(std::isnan(value_of(*converted, to)));
          }
          continue;
        }
        ASSERT_EQ(converted.has_value(), has_equal(value, to))
            << kind_name(from) << " " << value << " to " << kind_name(to);
        if (converted) {
          ASSERT_EQ(value_of(*converted, to), value);
        }
        ++cases;
      }
    }
  }
  EXPECT_GT(cases, 50000u);
}

TEST(Numbers, ABooleanIsZeroOrOne) {
  EXPECT_EQ(convert_number(1, FieldKind::boolean, FieldKind::f32),
            std::bit_cast<std::uint32_t>(1.0f));
  EXPECT_EQ(convert_number(2, FieldKind::boolean, FieldKind::u8), std::nullopt);
  EXPECT_EQ(conversion_error(2, FieldKind::boolean, FieldKind::u8).code, ErrorCode::bad_value);
}

TEST(Numbers, TheErrorShowsTheValue) {
  const auto text = [](std::uint64_t bits, FieldKind from, FieldKind to) {
    return conversion_error(bits, from, to).what;
  };
  EXPECT_EQ(text(0xfb, FieldKind::i8, FieldKind::u32),
            "the stored i8 -5 does not fit the program's u32");
  EXPECT_EQ(text(~std::uint64_t{0}, FieldKind::u64, FieldKind::i64),
            "the stored u64 18446744073709551615 does not fit the program's i64");
  EXPECT_EQ(text(std::bit_cast<std::uint32_t>(0.1f), FieldKind::f32, FieldKind::i32),
            "the stored f32 0.1 does not fit the program's i32");
  EXPECT_EQ(text(std::bit_cast<std::uint64_t>(1e300), FieldKind::f64, FieldKind::f32),
            "the stored f64 1e+300 does not fit the program's f32");
}

// --- floating-point numbers as bits

#if defined(__SSE2__)
/// As games set their processor: denormal numbers count as zero, and no result is one.
class FlushedDenormals {
 public:
  FlushedDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~FlushedDenormals() { _mm_setcsr(before_); }
  FlushedDenormals(const FlushedDenormals&) = delete;
  FlushedDenormals& operator=(const FlushedDenormals&) = delete;

 private:
  unsigned before_;
};
#else
struct FlushedDenormals {
  FlushedDenormals() noexcept {}
};
#endif

/// Zeros, denormal numbers, normal ones, infinities, quiet and signalling NaNs, of both signs.
std::vector<std::uint32_t> floats() {
  std::vector<std::uint32_t> all;
  for (const std::uint32_t bits :
       {0U, 1U, 2U, 0x400000U, 0x7fffffU, 0x800000U, 0x800001U, 0x3f800000U, 0x3dcccccdU,
        0x7f7fffffU, 0x7f800000U, 0x7fc00000U, 0x7fc12345U, 0x7f800001U, 0x7fbfffffU}) {
    all.push_back(bits);
    all.push_back(bits | 0x80000000U);
  }
  return all;
}

TEST(FloatBits, SurviveF64AndBackWhateverTheProcessorIsToldToDo) {
  const auto check = [](const char* mode) {
    for (const std::uint32_t bits : floats()) {
      const auto wide = convert_number(bits, FieldKind::f32, FieldKind::f64);
      ASSERT_TRUE(wide) << mode << bits;
      const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
      if (is_nan) {
        EXPECT_EQ(*wide >> 51 & 1, bits >> 22 & 1) << "it signals";
      }
      EXPECT_EQ(convert_number(*wide, FieldKind::f64, FieldKind::f32), bits) << mode << bits;
    }
  };
  check("default ");
  const FlushedDenormals flushed;
  check("flushed ");
}

TEST(FloatBits, OfDenormalNumbersAreExact) {
  const FlushedDenormals flushed;
  const auto to = [](std::uint64_t bits, FieldKind from, FieldKind kind) {
    return convert_number(bits, from, kind);
  };
  EXPECT_EQ(to(1, FieldKind::f32, FieldKind::f64), 0x36a0000000000000U);         // 2^-149
  EXPECT_EQ(to(0x7fffff, FieldKind::f32, FieldKind::f64), 0x380fffffc0000000U);  // below 2^-126
  EXPECT_EQ(to(0x36a0000000000000U, FieldKind::f64, FieldKind::f32), 1U);
  EXPECT_EQ(to(0x3690000000000000U, FieldKind::f64, FieldKind::f32), std::nullopt);
  EXPECT_EQ(to(1, FieldKind::f64, FieldKind::f32), std::nullopt);
  for (const FieldKind kind : {FieldKind::f32, FieldKind::f64}) {
    for (const FieldKind integer : {FieldKind::boolean, FieldKind::i32, FieldKind::u64})
      EXPECT_EQ(to(1, kind, integer), std::nullopt) << "it is not 0";
    EXPECT_THAT(conversion_error(1, kind, FieldKind::i32).what,
                testing::HasSubstr(kind == FieldKind::f32 ? "1e-45" : "5e-324"));
    EXPECT_NE(float_text(kind, 1), "0");
  }
}

TEST(FloatBits, OfNansThatAnF32CannotHoldStayNans) {
  EXPECT_EQ(convert_number(0x7ff0000000000001U, FieldKind::f64, FieldKind::f32), 0x7f800001U);
  EXPECT_EQ(convert_number(0xfff8000000000001U, FieldKind::f64, FieldKind::f32), 0xffc00000U);
}

// EXACT_DUMP.md: other writers of dumps must choose the same text.
TEST(FloatText, OfTwoEquallyCloseTextsHasAnEvenLastDigit) {
  const auto text = [](auto value) {
    if constexpr (sizeof value == 4) {
      return float_text(FieldKind::f32, std::bit_cast<std::uint32_t>(value));
    } else {
      return float_text(FieldKind::f64, std::bit_cast<std::uint64_t>(value));
    }
  };
  EXPECT_EQ(text(2097152.25F), "2097152.2");
  EXPECT_EQ(text(2097152.75F), "2097152.8");
  EXPECT_EQ(text(1125899906842624.25), "1125899906842624.2");
  EXPECT_EQ(text(1125899906842624.75), "1125899906842624.8");
}

}  // namespace
}  // namespace hdb::test::numbers_test
