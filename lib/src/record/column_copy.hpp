// Copies stored columns into plain records with other names, order and kinds of numbers.
#pragma once

#include <span>
#include <vector>

#include "evolve/match.hpp"
#include "record/codec.hpp"
#include "record/plain.hpp"

namespace hdb::detail::record {

/// How the columns of one stored schema go into plain records, without a call of the type's code.
/// It is legal because discovery has shown that the type's code only copies fields: that code would
/// not touch a field that the file lacks either.
class ColumnCopy {
 public:
  /// Requires: match.keeps_shapes; `own`, `stored` and `match` outlive the object.
  ColumnCopy(const Plan& own, const PlainLayout& layout, const Plan& stored, const Match& match);

  /// Fills the records. `tallies` is to be empty: it gets one for each stored node.
  /// Errors: as RecordDecoder::decode.
  [[nodiscard]] Status run(std::span<const Bytes> columns, std::span<void* const> records,
                           MemoryBudget& budget, const RowNamer& namer,
                           std::vector<Tally>& tallies) const;

 private:
  /// A column whose numbers are stored as another kind, or as other numbers of an enumeration.
  struct Conversion {
    std::uint32_t column = 0;  // of the file
    FieldKind to = FieldKind::u8;
    unsigned width = 0;  // of a converted number in bytes
  };
  [[nodiscard]] Status convert(const Conversion& conversion, ColumnBytes from, std::size_t rows,
                               const RowNamer& namer, Bytes& to, Tally& tally) const;
  [[nodiscard]] Status skip(std::span<const Bytes> columns, std::size_t rows, MemoryBudget& budget,
                            const RowNamer& namer) const;

  const Plan& stored_;
  const Match& match_;
  PlainLayout layout_;  // of the file's columns
  std::vector<Conversion> conversions_;
};

}  // namespace hdb::detail::record
