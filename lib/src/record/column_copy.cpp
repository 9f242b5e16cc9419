// Copies and converts whole columns, and skips the columns of unknown fields.
#include "record/column_copy.hpp"

#include <algorithm>

#include "evolve/enum_map.hpp"
#include "evolve/numbers.hpp"
#include "hdb/detail/record/decode_archive.hpp"
#include "hdb/detail/record/using_evolve.hpp"
#include "record/user_code.hpp"

namespace hdb::detail::record {

ColumnCopy::ColumnCopy(const Plan& own, const PlainLayout& layout, const Plan& stored,
                       const Match& match)
    : stored_(stored), match_(match), layout_(layout.for_columns(match.own_columns)) {
  for (std::uint32_t c = 0; c < match.own_columns.size(); ++c) {
    if (match.own_columns[c] == Match::kNoColumn) continue;
    const PlanColumn& to = own.columns[match.own_columns[c]];
    const bool is_mapped = stored.nodes[stored.columns[c].node].enum_map != nullptr;
    if (stored.columns[c].leaf != to.leaf || is_mapped)
      conversions_.push_back({c, to.leaf, to.width});
  }
}

Status ColumnCopy::run(std::span<const Bytes> columns, std::span<void* const> records,
                       MemoryBudget& budget, const RowNamer& namer,
                       std::vector<Tally>& tallies) const {
  tallies.resize(stored_.nodes.size());
  if (Status skipped = skip(columns, records.size(), budget, namer); !skipped) return skipped;
  std::vector<ColumnBytes> views(columns.begin(), columns.end());
  std::vector<Bytes> converted(conversions_.size());
  for (std::size_t i = 0; i < conversions_.size(); ++i) {
    const Conversion& each = conversions_[i];
    Tally& tally = tallies[stored_.columns[each.column].node];
    if (Status status =
            convert(each, views[each.column], records.size(), namer, converted[i], tally);
        !status) {
      return status;
    }
    views[each.column] = converted[i];
  }
  if (Status status = scatter(layout_, stored_, views, records); !status) return status;
  for (const Difference& each : match_.differences) {
    const PlanNode& node = stored_.nodes[each.node];
    if (node.is_counted) tallies[each.node].values = records.size() * each.repeats;
  }
  return {};
}

Status ColumnCopy::convert(const Conversion& conversion, ColumnBytes from, std::size_t rows,
                           const RowNamer& namer, Bytes& to, Tally& tally) const {
  const PlanColumn& column = stored_.columns[conversion.column];
  const EnumMap* const map = stored_.nodes[column.node].enum_map.get();
  const std::size_t count = from.size() / column.width;
  if (from.size() % column.width != 0) {
    return fail(ErrorCode::bad_lengths, "the column ends inside a value",
                "field '" + stored_.nodes[column.node].path + "'");
  }
  to.resize(count * conversion.width);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = load_number(from.subspan(i * column.width, column.width));
    const auto number =
        map != nullptr ? map->convert(bits) : convert_number(bits, column.leaf, conversion.to);
    if (!number) {
      const std::size_t row = i / std::max<std::size_t>(count / std::max<std::size_t>(rows, 1), 1);
      Error error =
          map != nullptr ? map->error(bits) : conversion_error(bits, column.leaf, conversion.to);
      error.where = "field '" + stored_.nodes[column.node].path + "' of " + row_text(&namer, row);
      return fail(std::move(error));
    }
    if (map != nullptr && map->is_renumbered(bits, *number)) ++tally.renumbered;
    store_number(*number, std::span(to).subspan(i * conversion.width, conversion.width));
  }
  if (column.leaf != conversion.to) tally.values += count;
  return {};
}

Status ColumnCopy::skip(std::span<const Bytes> columns, std::size_t rows, MemoryBudget& budget,
                        const RowNamer& namer) const {
  if (match_.unknown.empty()) return {};
  DecodeArchive archive(stored_, columns, budget);
  archive.name_rows(&namer);
  return guarded([&] { archive.skip_fields(match_.unknown, rows); },
                 [&]() -> const std::optional<Error>& { return archive.error(); }, {});
}

}  // namespace hdb::detail::record
