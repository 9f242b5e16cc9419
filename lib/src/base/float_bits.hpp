// Floating-point numbers as their bits. Games make their processor treat denormal numbers as zero
// (FTZ, DAZ), and its conversions make signalling NaNs quiet; stored values must not change with
// that.
#pragma once

#include <cstdint>
#include <optional>

namespace hdb {

/// The f64 that equals an f32. A NaN keeps its payload and whether it signals.
[[nodiscard]] std::uint64_t widened(std::uint32_t bits) noexcept;
/// The f32 that equals an f64; none if there is none. A NaN becomes a NaN: it keeps whether it
/// signals, and the part of its payload that an f32 can hold.
[[nodiscard]] std::optional<std::uint32_t> narrowed(std::uint64_t bits) noexcept;

/// An integer as sign and magnitude.
struct SignedMagnitude {
  std::uint64_t magnitude = 0;
  bool is_negative = false;
};
/// The integer that equals an f64; none if it has a fraction or 65 bits, or is not a number.
[[nodiscard]] std::optional<SignedMagnitude> whole_number(std::uint64_t bits) noexcept;
/// The f64 that equals an integer; none if there is none.
[[nodiscard]] std::optional<std::uint64_t> float_of(SignedMagnitude number) noexcept;

/// While it lives, the processor computes with denormal numbers on this thread. For code that
/// prints numbers: the standard library prints denormal ones as 0 otherwise.
class DenormalNumbers {
 public:
  DenormalNumbers() noexcept;
  ~DenormalNumbers();
  DenormalNumbers(const DenormalNumbers&) = delete;
  DenormalNumbers& operator=(const DenormalNumbers&) = delete;

 private:
  [[maybe_unused]] std::uint64_t before_ = 0;
};

}  // namespace hdb
