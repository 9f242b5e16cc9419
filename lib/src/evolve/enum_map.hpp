// The numbers of a stored enumeration as numbers of the program's: by the names that both give.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/record_traits.hpp"

namespace hdb::detail::evolve {

/// One side of a map: the integer of the enumeration and its named values.
struct NamedNumbers {
  FieldKind integer = FieldKind::u8;
  std::span<const Enumerator> enumerators;
};

/// What becomes of each number of a stored enumeration. A number that the file names becomes the
/// program's number of that name; of a name that the program does not have, that of the first
/// enumerator that declares it as an old name. A number without a name in the file stays the same
/// number, unless the program gives it a name: then nobody knows what it meant.
class HDB_INSPECT_API EnumMap {
 public:
  EnumMap(const NamedNumbers& stored, const NamedNumbers& own, std::span<const Rename> renames);

  /// Whether all numbers stay the same, or fail only because the integer is too narrow.
  [[nodiscard]] bool is_identity() const noexcept {
    return renumbered.empty() && removed.empty() && added.empty();
  }
  /// Whether two named values of the file become one value.
  [[nodiscard]] bool merges() const noexcept;
  /// Whether the sides have different integers.
  [[nodiscard]] bool converts() const noexcept { return stored_integer_ != own_integer_; }
  /// The program's bits of a stored number; none if a load refuses it.
  /// Complexity: logarithmic in the names.
  [[nodiscard]] std::optional<std::uint64_t> convert(std::uint64_t bits) const noexcept;
  /// Whether the file names the number.
  [[nodiscard]] bool is_named(std::uint64_t bits) const noexcept { return find(bits) != nullptr; }
  /// Whether the program does not know what the number means; else it is only too large for the
  /// program's integer. Requires: convert(bits) returned nothing.
  [[nodiscard]] bool is_unknown(std::uint64_t bits) const noexcept;
  /// Whether the number is another one in the program. Requires: convert(bits) == own.
  [[nodiscard]] bool is_renumbered(std::uint64_t bits, std::uint64_t own) const noexcept;
  /// Why convert returned nothing, with the value.
  [[nodiscard]] Error error(std::uint64_t bits) const;

  // How the sides differ, each as text, in rising order of stored numbers (`added`: of the
  // program's).
  std::vector<std::string> renumbered;  ///< "'calm' 0 -> 1"
  std::vector<std::string> renamed;     ///< "'angry' -> 'furious'", declared with hdb::Renames.
  std::vector<std::string> removed;     ///< "'bored' (2)"
  std::vector<std::string> added;  ///< "'glad' (3)": the file does not name the program's number.

 private:
  struct Entry {
    std::uint64_t stored = 0;
    std::optional<std::uint64_t> own;
    std::string name;  // in the file
  };
  [[nodiscard]] const Entry* find(std::uint64_t bits) const noexcept;
  [[nodiscard]] const Enumerator* own_named(std::uint64_t bits) const noexcept;

  FieldKind stored_integer_;
  FieldKind own_integer_;
  std::vector<Entry> entries_;           // by stored bits
  std::vector<Enumerator> own_by_bits_;  // the program's, by their bits
};

/// "a, b, c and 4 more".
[[nodiscard]] std::string some_of(const std::vector<std::string>& texts);

}  // namespace hdb::detail::evolve
