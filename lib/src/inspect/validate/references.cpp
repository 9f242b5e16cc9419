// Walks over the handle columns of row groups.
#include "hdb/inspect/references.hpp"

#include <map>
#include <optional>
#include <utility>

#include "base/using_detail.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/translate_handle.hpp"
#include "inspect/validate/layout_conflict.hpp"
#include "inspect/validate/live_slots.hpp"

namespace hdb {

// Finds the handles in one record after another.
class ReferenceWalk {
 public:
  ReferenceWalk(Reference& reference, const std::function<bool(const Reference&)>& visit)
      : reference_(reference), visit_(visit) {
    reference_.steps_ = &steps_;
  }

  // False when `visit` wants no more.
  bool walk(const Value& value) {
    switch (value.field->kind) {
      case FieldKind::handle:
        reference_.field = value.field;
        reference_.bits = value.bits;
        return visit_(reference_);
      case FieldKind::list:
      case FieldKind::array:
        if (value.is_packed()) return walk_packed(value);
        [[fallthrough]];
      default: return walk_children(value);
    }
  }

 private:
  bool walk_packed(const Value& value) {
    if (value.field->children.front().kind != FieldKind::handle) return true;
    for (std::uint64_t i = 0; i < value.bits; ++i) {
      steps_.push_back({&value, i});
      const bool go_on = walk(value.element(i));
      steps_.pop_back();
      if (!go_on) return false;
    }
    return true;
  }
  bool walk_children(const Value& value) {
    for (std::size_t i = 0; i < value.children.size(); ++i) {
      steps_.push_back({&value, i});
      const bool go_on = walk(value.children[i]);
      steps_.pop_back();
      if (!go_on) return false;
    }
    return true;
  }

  Reference& reference_;
  const std::function<bool(const Reference&)>& visit_;
  std::vector<Reference::Step> steps_;
};

namespace {

std::vector<std::uint32_t> columns_with_handles(const Field& root) {
  std::vector<std::uint32_t> found;
  const std::vector<Column> columns = columns_of(root);
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    if (columns[i].kind == FieldKind::handle) found.push_back(i);
  }
  return found;
}

class Counter {
 public:
  explicit Counter(const Reader& reader)
      : reader_(reader), namer_(reader.tables()), live_(reader) {}

  Status count(std::size_t table) {
    const TableDescriptor& descriptor = reader_.tables()[table];
    const Field& root = reader_.schemas()[descriptor.schema];
    std::map<const Field*, std::size_t> fields;  // indices in counts
    for (const Column& column : columns_of(root)) {
      if (column.kind != FieldKind::handle) continue;
      fields.emplace(column.field, counts.size());
      ReferenceCount& count = counts.emplace_back();
      count.table = table;
      count.path = column.path;
      count.strong = column.field->strong;
      count.conflict = layout_conflict_of(*column.field, column.path,
                                          [&](const std::string& name) { return layout_of(name); });
    }
    Status status;
    auto read = for_each_reference(reader_, table, [&](const Reference& reference) {
      status = add(reference, counts[fields.at(reference.field)]);
      return status.has_value();
    });
    return read ? std::move(status) : std::move(read);
  }

  std::vector<ReferenceCount> counts;

 private:
  [[nodiscard]] std::optional<HandleLayout> layout_of(const std::string& name) const {
    for (const TableDescriptor& table : reader_.tables()) {
      if (table.name == name) return table.policy.layout;
    }
    return std::nullopt;
  }

  Status add(const Reference& reference, ReferenceCount& count) {
    if (reference.bits == 0) {
      ++count.null;
      return {};
    }
    const auto parts = split_handle(reference.field->layout, reference.bits);
    const auto table = namer_.table_of(*reference.field, reference.bits);
    if (!parts || !table) {
      ++count.foreign;
      return {};
    }
    if (Status read = live_.load(*table); !read) return read;
    if (live_.contains(*table, parts->index, parts->generation)) {
      ++count.live;
      return {};
    }
    if (count.stale++ != 0) return {};
    count.first_stale =
        handle_name(reader_.tables()[reference.table], reference.slot, reference.generation) + '.' +
        reference.path() + " names " + namer_.name(*reference.field, reference.bits);
    count.first_stale_slot = reference.slot;
    return {};
  }

  const Reader& reader_;
  HandleNamer namer_;
  LiveSlots live_;
};

}  // namespace

std::string Reference::path() const {
  std::string path;
  for (const Step& step : *steps_) {
    switch (step.value->field->kind) {
      case FieldKind::structure:
        path = child_path(path,
                          step.value->children[static_cast<std::size_t>(step.child)].field->name);
        break;
      case FieldKind::optional: break;
      case FieldKind::variant: path = variant_path(path, step.value->bits); break;
      case FieldKind::map:
        path = element_path(path, step.child / 2) + (step.child % 2 == 0 ? ".key" : ".value");
        break;
      default: path = element_path(path, step.child);
    }
  }
  return path;
}

GroupReferences::GroupReferences(const Field& root, std::size_t table)
    : table_(table), handle_columns_(columns_with_handles(root)), decoder_(root, handle_columns_) {}

Result<bool> GroupReferences::visit(const RowGroup& group,
                                    const std::function<bool(const Reference&)>& visit) {
  Reference reference;
  reference.table = table_;
  ReferenceWalk walk(reference, visit);
  decoder_.begin(group.columns);
  for (std::size_t i = 0; i < group.states.size(); ++i) {
    if (group.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
    reference.slot = group.first_slot + i;
    reference.generation = group.generations[i];
    if (auto read = decoder_.next(row_); !read) {
      return fail(std::move(read.error()).in("slot " + std::to_string(reference.slot)));
    }
    if (!walk.walk(row_)) return false;
  }
  return true;
}

Status for_each_reference(const Reader& reader, std::size_t table,
                          const std::function<bool(const Reference&)>& visit) {
  const TableDescriptor& descriptor = reader.tables()[table];
  GroupReferences references(reader.schemas()[descriptor.schema], table);
  if (references.handle_columns().empty()) return {};
  RowGroup group;
  for (std::uint64_t number = 0; number < descriptor.group_count(); ++number) {
    if (auto read = reader.read_columns(table, number, references.needed_columns(), group); !read)
      return read;
    auto visited = references.visit(group, visit);
    if (!visited) return fail(std::move(visited.error()).in("table '" + descriptor.name + "'"));
    if (!*visited) return {};
  }
  return {};
}

Result<std::vector<ReferenceCount>> count_references(const Reader& reader) {
  Counter counter(reader);
  for (std::size_t table = 0; table < reader.tables().size(); ++table) {
    if (auto counted = counter.count(table); !counted) return fail(std::move(counted.error()));
  }
  return std::move(counter.counts);
}

}  // namespace hdb
