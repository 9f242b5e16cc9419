// Handles: small values that name a record by index, generation and, in some layouts, type id.
// Games keep handles in records and variables where they would otherwise keep pointers.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/base/type_key.hpp"
#include "hdb/fwd.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

/// The bit widths of a handle, as a type: the index is in the lowest bits, then the generation,
/// then the type id.
///
/// Units: at least 1 index bit, 1 to 31 generation bits, 0 to 16 type id bits, and at most 64 bits
/// together. The handle is the smallest integer of 16, 32 or 64 bits that holds them. Unused bits
/// are zero.
///
///     Layout<32, 31>       64 bits, the default; the top bit is zero
///     Layout<16, 16>       32 bits (Bilas)
///     Layout<10, 6>        16 bits: 1024 slots, 63 records in each, one after another
///     Layout<32, 16, 15>   64 bits with the table's type id; the top bit is zero: TypedLayout
///
/// A table has at most 2^IndexBits slots, and never more than 2^32 - 1: a greater index names no
/// slot. A slot can hold 2^GenerationBits - 1 records one after another (2^31 - 2 with 31 bits).
/// Overflow says what happens then.
template <unsigned IndexBits, unsigned GenerationBits, unsigned TypeBits>
struct Layout {
  static_assert(IndexBits >= 1, "hdb: a handle layout must have at least 1 index bit");
  static_assert(GenerationBits >= 1 && GenerationBits <= HandleLayout::kMaxGenerationBits,
                "hdb: a handle layout must have 1 to 31 generation bits");
  static_assert(TypeBits <= HandleLayout::kMaxTypeBits,
                "hdb: a handle layout must have at most 16 type id bits");
  static_assert(IndexBits <= 64 && IndexBits + GenerationBits + TypeBits <= 64,
                "hdb: index, generation and type id must have at most 64 bits together");
  /// The widths as data.
  static constexpr HandleLayout value{IndexBits, GenerationBits, TypeBits};
  using Bits =
      std::conditional_t<value.byte_size() == 2, std::uint16_t,
                         std::conditional_t<value.byte_size() == 4, std::uint32_t, std::uint64_t>>;
  using Index = std::conditional_t<(IndexBits > 32), std::uint64_t, std::uint32_t>;
  /// The widths in bits.
  static constexpr unsigned index_bits = IndexBits;
  static constexpr unsigned generation_bits = GenerationBits;
  static constexpr unsigned type_bits = TypeBits;
};

namespace detail {
template <unsigned Index, unsigned Generation, unsigned Type>
inline constexpr NameParts name_parts<Layout<Index, Generation, Type>> =
    NameParts::of("hdb::Layout").with({Index}).with({Generation}).with({Type});
}  // namespace detail

/// Names one record of type (or tag) `T` in the table that issued the handle. A plain value: its
/// bits may be copied, stored and sent.
///
/// A handle resolves to the record that it was issued for, or to nothing. The exceptions are
/// generations that start again (Overflow::wrap), Table::reset, and another timeline after an exact
/// restore or load (TimelineMode::exact). Two tables with equal `T` and `L` issue equal bits: give
/// them different tags, or a layout with type ids.
///
/// Source: Bilas, "A Generic Handle-Based Resource Manager", Game Programming Gems, 2000.
///
/// Example:
/// @code
/// hdb::Table<Monster> monsters;
/// const hdb::Handle<Monster> imp = monsters.insert({.name = "imp"});
/// assert(imp.index() == 0 && imp.generation() == 1);
/// const std::uint64_t bits = imp.bits();  // plain data: store it or send it
/// assert(hdb::Handle<Monster>::from_bits(bits) == imp);
/// monsters.erase(imp);
/// assert(monsters.find(imp) == nullptr);  // stale
/// @endcode
template <class T, class L>
class Handle {
 public:
  using Tag = T;
  using LayoutType = L;
  using Bits = typename L::Bits;

  /// The null handle: all bits zero.
  constexpr Handle() noexcept = default;

  /// The handle with these bits. Any bits are safe: bits that no table issued resolve to nothing.
  [[nodiscard]] static constexpr Handle from_bits(Bits bits) noexcept {
    Handle handle;
    handle.bits_ = bits;
    return handle;
  }

  /// The bits, from which from_bits makes an equal handle.
  [[nodiscard]] constexpr Bits bits() const noexcept { return bits_; }
  /// The number of the slot that the handle names. A 64-bit number if the layout has more than 32
  /// index bits; from 2^32 - 1 on, it names no slot.
  [[nodiscard]] constexpr typename L::Index index() const noexcept {
    return static_cast<typename L::Index>(field(0, L::index_bits));
  }
  /// The generation: which record of the slot the handle names. At least 1 in an issued handle.
  [[nodiscard]] constexpr std::uint32_t generation() const noexcept {
    return static_cast<std::uint32_t>(field(L::index_bits, L::generation_bits));
  }
  /// The type id of the table that issued the handle; 0 if the layout has no type id.
  [[nodiscard]] constexpr std::uint32_t type_id() const noexcept {
    if constexpr (L::type_bits == 0) return 0;
    return static_cast<std::uint32_t>(field(L::index_bits + L::generation_bits, L::type_bits));
  }
  /// Whether this is the null handle.
  [[nodiscard]] constexpr bool is_null() const noexcept { return bits_ == 0; }
  /// True if this is not the null handle. Does not say whether the record is live.
  constexpr explicit operator bool() const noexcept { return bits_ != 0; }

  /// Compares the bits as numbers.
  friend constexpr auto operator<=>(const Handle&, const Handle&) noexcept = default;

 private:
  [[nodiscard]] constexpr std::uint64_t field(unsigned shift, unsigned width) const noexcept {
    return (std::uint64_t{bits_} >> shift) & ((std::uint64_t{1} << width) - 1);
  }
  Bits bits_ = 0;
};

/// A handle in a field of a record that keeps the named resource: ResourceTable::flush does not
/// destroy a record that a Strong field names (cycles: FlushOptions::cycles). A plain value, like a
/// handle: flush finds these fields by scanning records, so copying a Strong changes no count.
template <class T, class L>
class Strong {
 public:
  using Tag = T;
  using LayoutType = L;

  constexpr Strong() noexcept = default;
  constexpr Strong(Handle<T, L> handle) noexcept
      : handle_(handle) {}  // NOLINT(google-explicit-constructor): a Strong is its handle
  /// The handle.
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

/// Identifies a pair of tag and layout at run time; hdb finds the table of a handle field by it.
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
    return hdb::detail::to_size(x ^ (x >> 29));
  }
};
/// @endcond
