// Handles: small values that name a record by index, generation and, in layouts that have one, type
// id.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "hdb/detail/base/type_key.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

/// The bit widths of a handle as part of its type: index lowest, then generation, then type id. Any
/// widths of at least 1 index bit, 1 to 31 generation bits and 0 to 16 type id bits that take at
/// most 64 bits together; the handle is an integer of 16, 32 or 64 bits, whichever is the first
/// that is wide enough. Bits that the layout does not use are zero.
///
///   Layout<32, 31>       64 bits, the default; the top bit is zero
///   Layout<16, 16>       32 bits (Bilas)
///   Layout<10, 6>        16 bits: 1024 slots, each for 63 records
///   Layout<32, 16, 15>   64 bits with the table's type id; the top bit is zero: TypedLayout
///
/// A table has at most 2^IndexBits slots, and at most 2^32 - 1: a wider index names no slot. A slot
/// has 2^GenerationBits - 1 tenants (2^31 - 2 with 31 bits) until it retires or its generations
/// begin again, as Overflow says.
template <unsigned IndexBits, unsigned GenerationBits, unsigned TypeBits = 0>
struct Layout {
  static_assert(IndexBits >= 1, "hdb: a handle layout must have at least 1 index bit");
  static_assert(GenerationBits >= 1 && GenerationBits <= HandleLayout::kMaxGenerationBits,
                "hdb: a handle layout must have 1 to 31 generation bits");
  static_assert(TypeBits <= HandleLayout::kMaxTypeBits,
                "hdb: a handle layout must have at most 16 type id bits");
  static_assert(IndexBits <= 64 && IndexBits + GenerationBits + TypeBits <= 64,
                "hdb: index, generation and type id must have at most 64 bits together");
  static constexpr HandleLayout value{IndexBits, GenerationBits, TypeBits};
  using Bits =
      std::conditional_t<value.byte_size() == 2, std::uint16_t,
                         std::conditional_t<value.byte_size() == 4, std::uint32_t, std::uint64_t>>;
  using Index = std::conditional_t<(IndexBits > 32), std::uint64_t, std::uint32_t>;
  static constexpr unsigned index_bits = IndexBits;
  static constexpr unsigned generation_bits = GenerationBits;
  static constexpr unsigned type_bits = TypeBits;
};

namespace detail {
template <unsigned Index, unsigned Generation, unsigned Type>
inline constexpr NameParts name_parts<Layout<Index, Generation, Type>> =
    NameParts::of("hdb::Layout").with({Index}).with({Generation}).with({Type});
}  // namespace detail

using DefaultLayout = Layout<32, 31>;

/// Names one record of type (or tag) `T`. A plain value: copying, storing and sending its bits is
/// always safe, and no bit pattern resolves to anything but the record that it was issued for.
///
/// Source: Bilas, "A Generic Handle-Based Resource Manager", Game Programming Gems, 2000.
template <class T, class L = DefaultLayout>
class Handle {
 public:
  using Tag = T;
  using LayoutType = L;
  using Bits = typename L::Bits;

  /// The null handle: all bits zero.
  constexpr Handle() noexcept = default;

  /// A handle of any bits; total. Bits that no table issued resolve to nothing.
  [[nodiscard]] static constexpr Handle from_bits(Bits bits) noexcept {
    Handle handle;
    handle.bits_ = bits;
    return handle;
  }

  [[nodiscard]] constexpr Bits bits() const noexcept { return bits_; }
  /// The slot that the handle names. A number of 64 bits where the layout has more than 32 index
  /// bits; from 2^32 on it names no slot.
  [[nodiscard]] constexpr typename L::Index index() const noexcept {
    return static_cast<typename L::Index>(field(0, L::index_bits));
  }
  /// Which tenant of its slot the handle was issued for; at least 1 in an issued handle.
  [[nodiscard]] constexpr std::uint32_t generation() const noexcept {
    return static_cast<std::uint32_t>(field(L::index_bits, L::generation_bits));
  }
  /// The type id of the table that issued the handle; 0 in layouts without one.
  [[nodiscard]] constexpr std::uint32_t type_id() const noexcept {
    if constexpr (L::type_bits == 0) return 0;
    return static_cast<std::uint32_t>(field(L::index_bits + L::generation_bits, L::type_bits));
  }
  [[nodiscard]] constexpr bool is_null() const noexcept { return bits_ == 0; }
  constexpr explicit operator bool() const noexcept { return bits_ != 0; }

  /// Ordered by raw bits.
  friend constexpr auto operator<=>(const Handle&, const Handle&) noexcept = default;

 private:
  [[nodiscard]] constexpr std::uint64_t field(unsigned shift, unsigned width) const noexcept {
    return (std::uint64_t{bits_} >> shift) & ((std::uint64_t{1} << width) - 1);
  }
  Bits bits_ = 0;
};

/// A handle inside a record that keeps what it names from being flushed. A plain value too: how
/// often a record is referred to is derived by scanning such fields, so copying one changes no
/// count.
template <class T, class L = DefaultLayout>
class Strong {
 public:
  using Tag = T;
  using LayoutType = L;

  constexpr Strong() noexcept = default;
  constexpr Strong(Handle<T, L> handle) noexcept
      : handle_(handle) {}  // NOLINT(google-explicit-constructor): a Strong is its handle
  [[nodiscard]] constexpr Handle<T, L> handle() const noexcept { return handle_; }
  constexpr operator Handle<T, L>() const noexcept {
    return handle_;
  }  // NOLINT(google-explicit-constructor): see above
  [[nodiscard]] constexpr auto bits() const noexcept { return handle_.bits(); }
  [[nodiscard]] constexpr bool is_null() const noexcept { return handle_.is_null(); }
  constexpr explicit operator bool() const noexcept { return !handle_.is_null(); }
  friend constexpr bool operator==(const Strong&, const Strong&) noexcept = default;

 private:
  Handle<T, L> handle_;
};

/// Says which pair of tag and layout is meant: how a handle field finds its table at run time.
using HandleKey = detail::TypeKey;

/// The key of Handle<T, L>.
template <class T, class L>
[[nodiscard]] HandleKey handle_key() noexcept {
  return detail::type_key<Handle<T, L>>();
}

}  // namespace hdb

/// @cond
template <class T, class L>
struct std::hash<hdb::Handle<T, L>> {
  std::size_t operator()(const hdb::Handle<T, L>& handle) const noexcept {
    std::uint64_t x = handle.bits();
    x ^= x >> 32;
    x *= 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>(x ^ (x >> 29));
  }
};
/// @endcond
