// Row group by row group: first the columns of the filter, then, where a record is meant, those
// that are printed.
#include "dump/record_writer.hpp"

#include <algorithm>

#include "dump/row_printer.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect::dumping {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{256} << 10;

// Tells of the live slots of a row group, in order, whether they are meant.
class GroupFilter {
 public:
  GroupFilter(const Reader& reader, const Selection& selection)
      : reader_(reader),
        selection_(selection),
        table_(reader.tables()[selection.table]),
        decoder_(reader.schemas()[table_.schema], selection.filter
                                                      ? std::span(selection.filter->columns())
                                                      : std::span<const std::uint32_t>()) {}

  // How many are meant. Requires: the selection has a filter.
  Result<std::uint64_t> run(std::uint64_t number) {
    const auto& columns = decoder_.needed_columns();
    if (auto read = reader_.read_columns(selection_.table, number, columns, group_); !read)
      return fail(std::move(read.error()));
    decoder_.begin(group_.columns);
    meant_.assign(group_.states.size(), false);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < group_.states.size(); ++i) {
      if (group_.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
      const std::uint64_t slot = table_.group_begin(number) + i;
      if (auto read = decoder_.next(row_); !read)
        return fail(std::move(read.error()).in(handle_name(table_, slot, group_.generations[i])));
      meant_[i] = selection_.filter->matches(row_, slot, group_.generations[i]);
      count += meant_[i] ? 1 : 0;
    }
    return count;
  }
  [[nodiscard]] bool is_meant(std::size_t index) const { return meant_[index]; }

 private:
  const Reader& reader_;
  const Selection& selection_;
  const TableDescriptor& table_;
  RowDecoder decoder_;
  RowGroup group_;
  Value row_;
  std::vector<bool> meant_;
};

// What stands before a record's slot: `{"type":"record",...,"handle":"monsters:`.
std::string record_prefix(const TableDescriptor& table) {
  JsonObject object("record");
  object.text("table", table.name);
  std::string text = object.str();
  text.back() = ',';
  std::string handle = json_text(table.name);
  handle.back() = ':';
  return text + "\"handle\":" + handle;
}

}  // namespace

void RecordWriter::open() {
  if (form_ == Form::json) buffer_.put('[');
}

void RecordWriter::close() {
  if (form_ == Form::json) buffer_.put(first_ ? "]\n" : "\n]\n");
  flush();
}

void RecordWriter::flush() {
  out_.write(buffer_.view());
  buffer_.clear();
}

void RecordWriter::write_header(const TableDescriptor& table, const RowPrinter& printer) {
  put_csv_text(buffer_, "handle");
  for (const std::string& name : printer.csv_header()) {
    buffer_.put(',');
    put_csv_text(buffer_, name.empty() ? table.name : name);
  }
  buffer_.put("\r\n");
}

void RecordWriter::begin_record(const TableDescriptor& table, std::uint64_t slot,
                                std::uint32_t generation) {
  if (form_ == Form::csv) return put_csv_text(buffer_, handle_name(table, slot, generation));
  if (form_ == Form::json) buffer_.put(first_ ? "\n" : ",\n");
  first_ = false;
  buffer_.put(prefix_);
  buffer_.put_number(slot);
  buffer_.put('@');
  buffer_.put_number(generation);
  buffer_.put("\",\"slot\":");
  buffer_.put_number(slot);
  buffer_.put(",\"generation\":");
  buffer_.put_number(generation);
  buffer_.put(",\"fields\":");
}

void RecordWriter::end_record() {
  buffer_.put(form_ == Form::csv ? "\r\n" : form_ == Form::json ? "}" : "}\n");
  if (buffer_.size() >= kFlushBytes) flush();
}

Status RecordWriter::write(const Selection& selection) {
  const TableDescriptor& table = reader_.tables()[selection.table];
  const Field& root = reader_.schemas()[table.schema];
  const PrintField fields =
      print_field(root, selection.columns, selection.all_fields, reader_.tables());
  const std::vector<std::uint32_t> columns = columns_of_print(fields);
  RowPrinter printer(fields, reader_.tables(), buffer_, [this] { flush(); });
  prefix_ = record_prefix(table);
  if (form_ == Form::csv) write_header(table, printer);
  GroupFilter filter(reader_, selection);
  RowGroup group;
  for (std::uint64_t number = 0; number < table.group_count() && left_ > 0; ++number) {
    if (out_.closed()) return {};
    if (selection.filter) {
      const auto meant = filter.run(number);
      if (!meant) return fail(meant.error());
      if (*meant == 0) continue;
    }
    if (auto read = reader_.read_columns(selection.table, number, columns, group); !read)
      return read;
    printer.begin(group.columns);
    for (std::size_t i = 0; i < group.states.size() && left_ > 0; ++i) {
      if (group.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
      const std::uint64_t slot = table.group_begin(number) + i;
      const std::uint32_t generation = group.generations[i];
      Status printed;
      if (selection.filter && !filter.is_meant(i)) {
        printed = printer.skip();
      } else {
        begin_record(table, slot, generation);
        printed = form_ == Form::csv ? printer.csv() : printer.json();
        end_record();
        --left_;
      }
      if (!printed)
        return fail(std::move(printed.error()).in(handle_name(table, slot, generation)));
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
    const auto meant = filter.run(number);
    if (!meant) return fail(meant.error());
    count += *meant;
  }
  return count;
}

}  // namespace hdb::inspect::dumping
