// Values that stay the same are copied when a record has another one, or with their whole column.
#include "database/load/row_migrator.hpp"

#include <algorithm>
#include <utility>

#include "evolve/dynamic_access.hpp"

namespace hdb {
namespace {

using Inside = DynamicAccess;

Field alone(const Field& field) {
  Field structure;
  structure.children.push_back(field);
  return structure;
}

}  // namespace

MigratedFields::MigratedFields(const FitSchema& own_schema, const Field& stored_record)
    : schema(own_schema), class_version(stored_record.versioned ? stored_record.class_version : 0) {
  std::uint32_t column = 0;
  for (const Field& field : stored_record.children) {
    stored.push_back(alone(field));
    first_columns.push_back(column);
    column += static_cast<std::uint32_t>(columns_of(field).size());
  }
  first_columns.push_back(column);
  for (const FitSchema::Node& node : schema.root.children) {
    own.push_back(alone(*node.field));
    std::vector<std::string> names = node.old_names;
    names.insert(names.begin(), node.field->name);
    std::size_t found = kNone;
    for (std::size_t n = 0; n < names.size() && found == kNone; ++n) {
      for (std::size_t i = 0; i < stored.size() && found == kNone; ++i)
        if (stored_record.children[i].name == names[n]) found = i;
    }
    is_renamed.push_back(found != kNone && stored_record.children[found].name != names.front());
    same.push_back(found != kNone && is_same_form(node, stored_record.children[found]) ? found
                                                                                       : kNone);
  }
}

RowMigrator::RowMigrator(const MigratedFields& fields, UnknownValue unknown_value)
    : fields_(fields), fit_(fields.schema, unknown_value) {
  targets_.reserve(fields.own.size());
  for (const Field& field : fields.own) {
    Target& target = targets_.emplace_back(field);
    target.encoder.begin(target.columns);
  }
  value_.field = fields.own.empty() ? nullptr : &fields.own.front();
  value_.children.resize(1);
}

void RowMigrator::begin(std::span<const Bytes> columns, std::size_t rows,
                        std::uint64_t max_values) {
  rows_ = rows;
  sources_.reserve(fields_.stored.size());
  for (std::size_t i = 0; i < fields_.stored.size(); ++i) {
    const Field& field = fields_.stored[i];
    const std::uint32_t first = fields_.first_columns[i];
    sources_.push_back({RowDecoder(field, max_values), RecordLoader(field.children.front()),
                        columns.subspan(first, fields_.first_columns[i + 1] - first)});
    sources_.back().decoder.begin(sources_.back().columns);
  }
  for (std::size_t i = 0; i < fields_.same.size(); ++i) {
    if (fields_.same[i] != MigratedFields::kNone) sources_[fields_.same[i]].taker = i;
  }
}

void RowMigrator::next(DynamicValue& record) {
  Inside::kind(record) = FieldKind::structure;
  Inside::class_version(record) = fields_.class_version;
  auto& values = Inside::children(record);
  values.resize(sources_.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    Inside::set_unread(values[i], *this, i, fields_.stored[i].children.front().name);
  ++row_;
}

Status RowMigrator::fault() const {
  if (thrown_) std::rethrow_exception(thrown_);
  if (failure_) return fail(*failure_);
  return {};
}

// The value of a source in a row; the rows before it are passed over.
const Value& RowMigrator::decode(Source& source, std::size_t row) {
  while (source.row <= row && !failure_) {
    ++source.row;
    if (auto read = source.decoder.next(stored_); !read) failure_ = read.error();
  }
  return stored_;
}

void RowMigrator::read(std::size_t index, DynamicValue& to) noexcept {
  try {
    Source& source = sources_[index];
    if (source.taker != MigratedFields::kNone) copy_rows(source.taker, row_ - 1);
    const Value& value = decode(source, row_ - 1);
    if (!failure_) return source.loader.load(value.children.front(), to);
  } catch (...) {  // memory ended
    thrown_ = std::current_exception();
  }
  to = DynamicValue();
}

// Copies the values of a field that stayed the same, up to row `end`.
void RowMigrator::copy_rows(std::size_t own, std::size_t end) {
  Target& target = targets_[own];
  for (; target.done < end && !failure_; ++target.done) {
    const Value& value = decode(sources_[fields_.same[own]], target.done);
    if (failure_) return;
    if (auto put = target.encoder.append(value); !put) failure_ = put.error();
  }
}

Status RowMigrator::append(DynamicValue& record) {
  auto& values = Inside::children(record);
  std::size_t taken = 0;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const std::size_t same = fields_.same[i];
    const bool is_unread = same < values.size() && Inside::is_unread(values[same]);
    // A field of the record that has the new name comes before one with an old name.
    const bool is_same = is_unread && !fields_.is_renamed[i];
    const std::size_t at = is_same ? same : fit_.find(i, record);
    if (at != values.size()) ++taken;
    if (is_unread && at == same) continue;
    if (at != values.size()) {
      Inside::fetch(values[at]);
      if (auto checked = check(); !checked) return checked;
    }
    if (row_ != 0) copy_rows(i, row_ - 1);
    if (auto fitted = fit_.fit(i, record, at, value_.children.front()); !fitted) return fitted;
    if (auto put = targets_[i].encoder.append(value_); !put) return put;
    targets_[i].done = row_;
  }
  fit_.finish(record, taken);
  return {};
}

void RowMigrator::drop() {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    copy_rows(i, row_ - 1);
    targets_[i].done = row_;
  }
}

Result<std::vector<Bytes>> RowMigrator::finish() {
  std::vector<Bytes> columns;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Target& target = targets_[i];
    if (target.done == 0 && rows_ != 0) {
      const auto& all = sources_[fields_.same[i]].columns;
      columns.insert(columns.end(), all.begin(), all.end());
      continue;
    }
    copy_rows(i, rows_);
    for (Bytes& column : target.columns) columns.push_back(std::move(column));
  }
  if (auto checked = check(); !checked) return fail(std::move(checked.error()));
  return columns;
}

}  // namespace hdb
