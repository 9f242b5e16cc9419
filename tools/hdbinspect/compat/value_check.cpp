// Reads the row groups of the tables that have narrowed numbers, other enumerators or alternatives.
#include "compat/value_check.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hdb/bytes.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned>(bytes[i]);
  return value;
}

std::uint64_t count_unfit(const Bytes& column, unsigned width, const NarrowedNumber& number) {
  const std::span<const std::byte> values(column);
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < values.size(); at += width) {
    if (!number.fits(little_endian(values.subspan(at, width)))) ++count;
  }
  return count;
}

void conclude(CompatFinding& finding, std::uint64_t unfit) {
  finding.depends_on_values = false;
  const std::string& subject = finding.number->subject;
  const bool is_number = finding.rule == CompatRule::number_narrowed;
  if (unfit != 0) {
    const bool is_added = finding.rule == CompatRule::enumerators_added;
    const bool is_handle = finding.rule == CompatRule::any_handle_left;
    finding.what = fmt::format("{}; {} of the file {}", subject, count_text(unfit, "value"),
                               is_number   ? "out of its range"
                               : is_handle ? "refused, because an AnyHandle cannot hold them"
                               : is_added  ? "without a name refused; give the enumerators numbers "
                                             "that the file does not hold"
                                           : "refused");
    finding.effect = Compatibility::incompatible;
    finding.code = is_handle ? ErrorCode::layout_mismatch : ErrorCode::value_out_of_range;
    return;
  }
  finding.what = subject + (is_number ? "; every value of the file fits"
                                      : "; no value of the file is affected");
  finding.effect = Compatibility::readable;
  finding.code.reset();
}

// Two names of a table that ASCII case alone tells apart; empty if there are none.
Result<std::string> equal_names(const Reader& reader, std::size_t index) {
  constexpr std::array<std::uint32_t, 2> kColumns{0, 1};  // lengths and bytes
  std::set<std::string> seen;
  RowGroup rows;
  for (std::uint64_t group = 0; group < reader.tables()[index].group_count(); ++group) {
    if (Status read = reader.read_columns(index, group, kColumns, rows); !read)
      return fail(std::move(read.error()));
    ByteReader lengths(rows.columns[0]);
    std::string_view rest(reinterpret_cast<const char*>(rows.columns[1].data()),
                          rows.columns[1].size());
    for (std::size_t i = rows.live_count(); i-- > 0;) {
      const auto size =
          static_cast<std::size_t>(std::min<std::uint64_t>(lengths.varint(), rest.size()));
      const std::string name(rest.substr(0, size));
      rest.remove_prefix(size);
      std::string folded = name;
      for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if (!name.empty() && !seen.insert(folded).second) return name;
    }
  }
  return std::string();
}

Status conclude_names(const Reader& reader, std::size_t index, CompatFinding& finding) {
  const auto name = equal_names(reader, index);
  if (!name) return fail(name.error());
  finding.depends_on_values = false;
  if (!name->empty()) {
    finding.what = "two records of the file have the name '" + *name + "' when case is ignored";
    return {};
  }
  finding.what = "no two names of the file differ only in their case";
  finding.effect = Compatibility::readable;
  finding.code.reset();
  return {};
}

Status check_table(const Reader& reader, std::size_t index, TableCompat& result) {
  const TableDescriptor& table = reader.tables()[index];
  const Field& root = reader.schemas()[table.schema];
  const std::vector<Column> columns = columns_of(root);
  const std::size_t prefix = columns.size() - columns_of(table_schema(table, root).record).size();
  std::vector<std::uint64_t> unfit(result.findings.size());
  RowGroup rows;
  for (std::uint64_t group = 0; group < table.group_count(); ++group) {
    if (Status read = reader.read_group(index, group, rows); !read) return read;
    for (std::size_t i = 0; i < unfit.size(); ++i) {
      const auto& number = result.findings[i].number;
      if (!number) continue;
      const std::size_t column = prefix + number->column;
      const unsigned width = std::max(columns[column].width, 1U);  // tags are bytes
      unfit[i] += count_unfit(rows.columns[column], width, *number);
    }
  }
  for (std::size_t i = 0; i < unfit.size(); ++i) {
    if (result.findings[i].number) conclude(result.findings[i], unfit[i]);
    if (result.findings[i].rule != CompatRule::table_names_merged) continue;
    if (Status checked = conclude_names(reader, index, result.findings[i]); !checked)
      return checked;
  }
  return {};
}

}  // namespace

Status check_values(const Reader& reader, CompatReport& report) {
  for (TableCompat& table : report.tables) {
    const bool has_values =
        std::any_of(table.findings.begin(), table.findings.end(), [](const auto& finding) {
          return finding.number || finding.rule == CompatRule::table_names_merged;
        });
    if (!has_values) continue;
    const auto found =
        std::find_if(reader.tables().begin(), reader.tables().end(),
                     [&](const TableDescriptor& each) { return each.name == table.old_name; });
    const auto index = static_cast<std::size_t>(found - reader.tables().begin());
    if (Status checked = check_table(reader, index, table); !checked) return checked;
  }
  report.update_verdicts();
  return {};
}

}  // namespace hdb::inspect
