// Row group by row group: first the columns of the filter, then, if a record matches, the columns
// that are printed.
#include "dump/record_writer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dump/csv.hpp"
#include "dump/row_order.hpp"
#include "dump/row_reader.hpp"
#include "hdb/inspect/text.hpp"
#include "memory_limit.hpp"

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

// The first records of an order, as text.
class SortedRows {
 public:
  struct Row {
    RowOrder::Key key;
    std::uint64_t slot = 0;
    std::string text;
  };

  SortedRows(const RowOrder& order, std::uint64_t limit) : order_(order), limit_(limit) {}

  [[nodiscard]] bool wants(const RowOrder::Key& key, std::uint64_t slot) const {
    return rows_.size() < limit_ || is_before(key, slot, rows_.front());
  }
  // Requires: the row is wanted.
  Status add(Row row) {
    const auto rises = [this](const Row& a, const Row& b) { return is_before(a.key, a.slot, b); };
    const bool is_heap = rows_.size() == limit_;
    if (is_heap) {
      std::pop_heap(rows_.begin(), rows_.end(), rises);
      bytes_ -= bytes_of(rows_.back());
      rows_.pop_back();
    }
    bytes_ += bytes_of(row);
    const std::uint64_t most = memory_limit() == 0 ? kDefaultMemoryBytes : memory_limit();
    if (bytes_ > most / 2) {
      return fail(ErrorCode::memory_budget,
                  "the sorted records are too much; print the first ones with --limit, or use "
                  "hdbinspect export");
    }
    rows_.push_back(std::move(row));
    if (is_heap) {
      std::push_heap(rows_.begin(), rows_.end(), rises);
    } else if (rows_.size() == limit_) {
      std::make_heap(rows_.begin(), rows_.end(), rises);
    }
    return {};
  }
  // The rows in their order.
  std::vector<Row> take() {
    std::sort(rows_.begin(), rows_.end(),
              [this](const Row& a, const Row& b) { return is_before(a.key, a.slot, b); });
    return std::move(rows_);
  }

 private:
  [[nodiscard]] bool is_before(const RowOrder::Key& key, std::uint64_t slot,
                               const Row& other) const {
    const int compared = order_.compare(key, other.key);
    return compared != 0 ? compared < 0 : slot < other.slot;
  }
  static std::uint64_t bytes_of(const Row& row) {
    std::uint64_t bytes = 2 * sizeof(Row) + row.text.capacity();  // the vector may grow
    for (const auto& part : row.key) bytes += sizeof(part) + part.text.capacity();
    return bytes;
  }

  const RowOrder& order_;
  std::uint64_t limit_;
  std::uint64_t bytes_ = 0;
  std::vector<Row> rows_;  // as many as the limit: a heap, the last one at the front
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

void RecordWriter::begin_record() {
  if (form_ == Form::json) buffer_ += first_ ? "\n" : ",\n";
  first_ = false;
}

void RecordWriter::flush() {
  if (is_sorting_) return;
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
  fmt::format_to(std::back_inserter(buffer_),
                 "{}{}@{}{},\"slot\":{},\"generation\":{},\"fields\":", prefix, rows.slot(),
                 rows.generation(), suffix, rows.slot(), rows.generation());
  json_.append(rows.row(), buffer_);
  buffer_ += form_ == Form::json ? "}" : "}\n";
}

Status RecordWriter::write(const Selection& selection, const RowOrder* order) {
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
  std::optional<RowReader> keys;
  std::optional<SortedRows> sorted;
  if (order != nullptr) {
    flush();
    keys.emplace(reader_, selection.table, order->columns());
    sorted.emplace(*order, left_);
    is_sorting_ = true;
  }
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
    if (keys) {
      if (auto read = keys->open(number); !read) return read;
    }
    for (std::size_t rank = 0; left_ > 0; ++rank) {
      const auto found = rows.next();
      if (!found) return fail(found.error());
      if (!*found) break;
      if (keys) {
        if (const auto key = keys->next(); !key) return fail(key.error());
      }
      if (filter && !filter->is_match(rank)) continue;
      if (sorted) {
        auto key = order->key_of(*keys);
        if (!sorted->wants(key, rows.slot())) continue;
        form_ == Form::csv ? write_csv(rows, cells) : write_json(rows, prefix, suffix);
        if (auto added = sorted->add({std::move(key), rows.slot(), std::exchange(buffer_, {})});
            !added)
          return added;
        continue;
      }
      begin_record();
      form_ == Form::csv ? write_csv(rows, cells) : write_json(rows, prefix, suffix);
      if (buffer_.size() >= kFlushBytes) flush();
      --left_;
    }
  }
  is_sorting_ = false;
  if (!sorted) return {};
  for (const SortedRows::Row& row : sorted->take()) {
    begin_record();
    buffer_ += row.text;
    if (buffer_.size() >= kFlushBytes) flush();
    --left_;
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
