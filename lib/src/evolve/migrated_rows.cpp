// A field that differs from the file in some record has its own form from that record on.
#include "evolve/migrated_rows.hpp"

#include <algorithm>
#include <utility>

#include "evolve/dynamic_access.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

using Inside = DynamicAccess;

Field alone(const Field& field) {
  Field structure;
  structure.children.push_back(field);
  return structure;
}

}  // namespace

StoredRecord::StoredRecord(const Field& stored, const TableSchema& own)
    : class_version(stored.versioned ? stored.class_version : 0),
      is_versioned(own.record.versioned),
      own_version(own.record.class_version) {
  std::uint32_t column = 0;
  for (const Field& field : stored.children) {
    fields.push_back(alone(field));
    first_columns.push_back(column);
    column += static_cast<std::uint32_t>(columns_of(field).size());
  }
  first_columns.push_back(column);
  const auto has = [&](const std::string& name) {
    return std::any_of(stored.children.begin(), stored.children.end(),
                       [&](const Field& field) { return field.name == name; });
  };
  for (const Field& field : own.record.children) {
    Renamed renamed{field.name, {}};
    for (const FieldRename& each : own.renames) {
      if (each.structure.empty() && each.new_name == field.name)
        renamed.old_names.push_back(each.old_name);
    }
    if (renamed.old_names.empty()) continue;
    while (renamed.stored < renamed.old_names.size() && !has(renamed.old_names[renamed.stored]))
      ++renamed.stored;
    renames.push_back(std::move(renamed));
  }
}

bool MigratedBatch::is_as_stored() const {
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (forms[i] != ValueForm() && !forms[i].is_as_stored(schema.children[i].name)) return false;
  }
  return true;
}

evolve::Plan MigratedBatch::plan() const {
  evolve::Plan plan = evolve::plan_of(schema);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    if (forms[i] != ValueForm()) forms[i].mark(plan, plan.nodes.front().children[i]);
  }
  return plan;
}

void MigratedRows::begin(std::span<const Bytes> columns, std::size_t rows,
                         std::uint64_t max_values) {
  rows_ = rows;
  sources_.reserve(stored_.fields.size());
  for (std::size_t i = 0; i < stored_.fields.size(); ++i) {
    const Field& field = stored_.fields[i];
    const std::uint32_t first = stored_.first_columns[i];
    sources_.push_back({RowDecoder(field, max_values), RecordLoader(field.children.front()),
                        columns.subspan(first, stored_.first_columns[i + 1] - first)});
    sources_.back().decoder.begin(sources_.back().columns);
    Target& target = *targets_.emplace_back(std::make_unique<Target>());
    target.name = field.children.front().name;
    is_stored_.push_back(1);
    target.schema = field;
    start(target);
  }
}

void MigratedRows::start(Target& target) {
  target.encoder.emplace(target.schema);
  target.encoder->begin(target.columns);
  target.value.field = &target.schema;
  target.value.children.resize(1);
}

void MigratedRows::next(DynamicValue& record) {
  Inside::kind(record) = FieldKind::structure;
  Inside::class_version(record) = stored_.class_version;
  auto& values = Inside::children(record);
  values.resize(sources_.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!Inside::is_unread(values[i])) Inside::set_unread(values[i], *this, i, targets_[i]->name);
  }
  ++row_;
}

Status MigratedRows::failure() const {
  if (thrown_) std::rethrow_exception(thrown_);
  return fail(*failure_);
}

// The value of a source in a row; the rows before it are passed over.
const Value& MigratedRows::decode(Source& source, std::size_t row) {
  while (source.row <= row && !failure_) {
    ++source.row;
    if (auto read = source.decoder.next(source.value); !read) failure_ = read.error();
  }
  return source.value;
}

void MigratedRows::read(std::size_t index, DynamicValue& to) noexcept {
  try {
    if (is_stored_[index] != 0) copy_rows(index, row_ - 1);
    const Value& value = decode(sources_[index], row_ - 1);
    if (!failure_) return sources_[index].loader.load(value.children.front(), to);
  } catch (...) {  // memory ended
    thrown_ = std::current_exception();
  }
  to = DynamicValue();
}

// Copies the values of a field that is as in the file, up to row `end`.
void MigratedRows::copy_rows(std::size_t index, std::size_t end) {
  Target& target = *targets_[index];
  for (; target.done < end && !failure_; ++target.done) {
    const Value& value = decode(sources_[index], target.done);
    if (failure_) return;
    if (auto put = target.encoder->append(value); !put) failure_ = put.error();
  }
}

// A load looks for the old names of a field in a schema that several records share. If a record has
// another old name than the file, the field gets the program's name in this and all later records.
void MigratedRows::follow_renames(DynamicValue& record) {
  for (const StoredRecord::Renamed& each : stored_.renames) {
    const auto named = [&](const std::string& name) -> DynamicValue* {
      for (DynamicValue& value : Inside::children(record)) {
        if (!Inside::is_removed(value) && Inside::name(std::as_const(value)) == name) return &value;
      }
      return nullptr;
    };
    if (named(each.name) != nullptr) continue;
    std::size_t found = 0;
    while (found < each.old_names.size() && named(each.old_names[found]) == nullptr) ++found;
    if (found == each.old_names.size()) continue;
    const bool is_used = std::any_of(targets_.begin(), targets_.end(),
                                     [&](const auto& target) { return target->name == each.name; });
    if (found != each.stored || is_used) Inside::name(*named(each.old_names[found])) = each.name;
  }
}

// The target of each field of the record. A field that was not read is the stored field of its
// number, unless it was renamed. Others mostly are where they were in the last record. Returns how
// many are as stored, as in all records before.
std::size_t MigratedRows::find_fields(DynamicValue& record) {
  for (Target* const target : made_) target->field = nullptr;
  std::size_t as_stored = 0;
  auto& fields = Inside::children(record);
  for (std::size_t i = target_of_.size(); i < fields.size(); ++i) target_of_.push_back(i);
  std::size_t* at = target_of_.data();
  for (DynamicValue& field : fields) {
    find_target(field, *at);
    if (is_as_stored(field, *at)) {
      ++as_stored;
    } else if (!Inside::is_removed(field)) {
      targets_[*at]->field = &field;
    }
    ++at;
  }
  return as_stored;
}

void MigratedRows::find_by_name(std::string_view name, std::size_t& target) {
  if (target < targets_.size() && are_equal_names(targets_[target]->name, name)) return;
  const auto found = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const auto& each) { return each->name == name; });
  target = static_cast<std::size_t>(found - targets_.begin());
  if (target == targets_.size()) {
    made_.push_back(targets_.emplace_back(std::make_unique<Target>()).get());
    made_.back()->name = name;
    is_stored_.push_back(0);
  }
}

bool MigratedRows::put(Target& target) {
  DynamicValue* const value = target.field;
  if (!target.encoder) return false;                              // a field that no record had yet
  if (value == nullptr && target.form.is_missing()) return true;  // nothing to put
  const Field& field = target.schema.children.front();
  Value& to = target.value.children.front();
  if (value == nullptr) return target.form.put_missing(field, to);
  Inside::fetch(*value);
  return target.form.put(field, *value, to, buffers_);
}

// Returns how many forms have a place for their values.
std::size_t MigratedRows::put_made() {
  buffers_.clear();
  std::size_t count = 0;
  for (Target* const target : made_) {
    if (!put(*target)) continue;
    target->last_put = record_;
    ++count;
  }
  return count;
}

// Gives the field a form that has a place for the value too, from this record on.
Status MigratedRows::extend(std::size_t index) {
  Target& target = *targets_[index];
  if (target.field != nullptr) Inside::fetch(*target.field);
  Status added =
      target.field != nullptr ? target.form.add(*target.field) : target.form.add_missing();
  if (!added) {
    added.error().where = "field '" + escape_text(target.name) + "'";
    return added;
  }
  if (std::exchange(is_stored_[index], 0) != 0) made_.push_back(&target);
  target.schema = alone(target.form.field());
  target.schema.children.front().name = target.name;
  start(target);
  return {};
}

Status MigratedRows::append(DynamicValue& record) {
  ++record_;
  follow_renames(record);
  const std::size_t as_stored = find_fields(record);
  const std::size_t made = put_made();
  if (has_failed()) return failure();
  if (as_stored + made != targets_.size()) {
    end_batch(row_ == 0 ? 0 : row_ - 1);
    const auto& fields = Inside::children(record);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (is_as_stored(fields[i], target_of_[i])) targets_[target_of_[i]]->last_put = record_;
    }
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i]->last_put == record_) continue;
      if (auto extended = extend(i); !extended) return extended;
    }
    static_cast<void>(put_made());
    if (has_failed()) return failure();
  }
  for (Target* const target : made_) {
    if (target->form.is_missing()) continue;
    if (auto put = target->encoder->append(target->value); !put) return put;
  }
  ++appended_;
  return {};
}

void MigratedRows::drop() {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    if (is_stored_[i] == 0) continue;
    copy_rows(i, row_ - 1);
    targets_[i]->done = row_;
  }
}

// Ends the batch before row `end`, with the fields that the records have had so far.
void MigratedRows::end_batch(std::size_t end) {
  const bool is_all = batches_.empty() && appended_ == rows_ && end == rows_;
  if (appended_ == 0) return;
  MigratedBatch batch;
  batch.rows = std::exchange(appended_, 0);
  batch.schema.versioned = stored_.is_versioned;
  batch.schema.class_version = stored_.own_version;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Target& target = *targets_[i];
    const bool is_absent = target.form.is_missing();  // of all records
    const bool is_stored = is_stored_[i] != 0;
    if (!target.encoder || (is_absent && !is_stored)) continue;
    batch.schema.children.push_back(target.schema.children.front());
    batch.forms.push_back(is_stored ? ValueForm() : target.form);
    if (is_stored && is_all) {
      batch.columns.insert(batch.columns.end(), sources_[i].columns.begin(),
                           sources_[i].columns.end());
      continue;
    }
    if (is_stored) copy_rows(i, end);
    for (Bytes& column : target.columns) batch.columns.push_back(std::move(column));
    start(target);
  }
  batches_.push_back(std::move(batch));
}

Result<std::vector<MigratedBatch>> MigratedRows::finish() {
  end_batch(rows_);
  if (auto checked = check(); !checked) return fail(std::move(checked.error()));
  return std::move(batches_);
}

}  // namespace hdb
