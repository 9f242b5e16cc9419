// Row group by row group: first the columns of the filter, then, if a record matches, the columns
// that are printed.
#include "dump/record_writer.hpp"

#include <fmt/format.h>

#include "dump/csv.hpp"
#include "dump/row_reader.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect::dumping {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{256} << 10;

// Finds the live slots of a row group that match the filter of a selection.
class GroupFilter {
 public:
  // Requires: the selection has a filter.
  GroupFilter(const Reader& reader, const Selection& selection)
      : filter_(*selection.filter), rows_(reader, selection.table, filter_.columns()) {}

  // How many records of a row group match.
  Result<std::uint64_t> run(std::uint64_t number) {
    if (auto read = rows_.open(number); !read) return fail(std::move(read.error()));
    matches_.clear();
    std::uint64_t count = 0;
    for (;;) {
      const auto found = rows_.next();
      if (!found) return fail(found.error());
      if (!*found) return count;
      matches_.push_back(filter_.matches(rows_.row(), rows_.slot(), rows_.generation()));
      count += matches_.back() ? 1 : 0;
    }
  }
  // Whether the record with this rank among the live ones of the row group matches.
  [[nodiscard]] bool is_match(std::size_t rank) const { return matches_[rank]; }

 private:
  const RecordFilter& filter_;
  RowReader rows_;
  std::vector<bool> matches_;
};

// The text before a record's slot: `{"type":"record",...,"handle":"monsters:`.
std::string record_prefix(const TableDescriptor& table) {
  std::string text = JsonObject("record").text("table", table.name).str();
  text.back() = ',';
  std::string handle = json_text(table.owner.empty() ? table.name : table.owner);
  handle.back() = ':';
  return text + "\"handle\":" + handle;
}

// What follows slot and generation in the handle of a component.
std::string record_suffix(const TableDescriptor& table) {
  if (table.owner.empty()) return "\"";
  std::string name = json_text(table.name);
  name.front() = '.';
  return name;
}

}  // namespace

RecordWriter::RecordWriter(Output& out, const Reader& reader, Form form, std::uint64_t limit)
    : out_(out),
      reader_(reader),
      form_(form),
      left_(limit),
      json_(HandleNamer(reader.tables()), JsonValueWriter::Form::plain, [this] { flush(); }) {}

void RecordWriter::open() {
  if (form_ == Form::json) buffer_ += '[';
}

void RecordWriter::close() {
  if (form_ == Form::json) buffer_ += first_ ? "]\n" : "\n]\n";
  flush();
}

void RecordWriter::flush() {
  out_.write(buffer_);
  buffer_.clear();
}

void RecordWriter::write_csv(const RowReader& rows, CsvCells& cells) {
  append_csv_text(rows.handle(), buffer_);
  cells.append(rows.row(), buffer_);
  buffer_ += "\r\n";
}

void RecordWriter::write_json(const RowReader& rows, const std::string& prefix,
                              const std::string& suffix) {
  if (form_ == Form::json) buffer_ += first_ ? "\n" : ",\n";
  first_ = false;
  fmt::format_to(std::back_inserter(buffer_),
                 "{}{}@{}{},\"slot\":{},\"generation\":{},\"fields\":", prefix, rows.slot(),
                 rows.generation(), suffix, rows.slot(), rows.generation());
  json_.append(rows.row(), buffer_);
  buffer_ += form_ == Form::json ? "}" : "}\n";
}

Status RecordWriter::write(const Selection& selection) {
  const TableDescriptor& table = reader_.tables()[selection.table];
  const auto columns = selection.columns_asked();
  CsvCells cells(reader_.schemas()[table.schema], columns, reader_.tables(), [this] { flush(); });
  if (form_ == Form::csv) {
    append_csv_text("handle", buffer_);
    for (const std::string& name : cells.names()) {
      buffer_ += ',';
      append_csv_text(name.empty() ? table.name : name, buffer_);
    }
    buffer_ += "\r\n";
  }
  const std::string prefix = record_prefix(table);
  const std::string suffix = record_suffix(table);
  RowReader rows(reader_, selection.table, columns);
  std::optional<GroupFilter> filter;
  if (selection.filter) filter.emplace(reader_, selection);
  for (std::uint64_t number = 0; number < table.group_count() && left_ > 0; ++number) {
    if (out_.closed()) return {};
    if (filter) {
      const auto matching = filter->run(number);
      if (!matching) return fail(matching.error());
      if (*matching == 0) continue;
    }
    if (auto read = rows.open(number); !read) return read;
    for (std::size_t rank = 0; left_ > 0; ++rank) {
      const auto found = rows.next();
      if (!found) return fail(found.error());
      if (!*found) break;
      if (filter && !filter->is_match(rank)) continue;
      form_ == Form::csv ? write_csv(rows, cells) : write_json(rows, prefix, suffix);
      if (buffer_.size() >= kFlushBytes) flush();
      --left_;
    }
  }
  return {};
}

Result<std::uint64_t> count_records(const Reader& reader, const Selection& selection) {
  const TableDescriptor& table = reader.tables()[selection.table];
  if (!selection.filter) return table.live_count;
  GroupFilter filter(reader, selection);
  std::uint64_t count = 0;
  for (std::uint64_t number = 0; number < table.group_count(); ++number) {
    const auto matching = filter.run(number);
    if (!matching) return fail(matching.error());
    count += *matching;
  }
  return count;
}

}  // namespace hdb::inspect::dumping
