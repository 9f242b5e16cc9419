// One record from save to save.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/record_history.hpp"
#include "inspect/diff/value_diff.hpp"
#include "inspect/history/group_hashes.hpp"

namespace hdb {
namespace history {
namespace {

bool has_element_number(const std::string& path) {
  const std::size_t bracket = path.find('[');
  return bracket != std::string::npos && bracket + 1 < path.size() && path[bracket + 1] != ']';
}

}  // namespace

// A record as one save has it, with all that its value refers to.
struct Row {
  std::shared_ptr<const Reader> reader;
  RowGroup group;
  std::vector<Bytes> bytes;
  Value value;
};

}  // namespace history

using history::Row;

std::vector<std::uint32_t> followed_columns(const Field& root, const std::string& fields) {
  std::vector<FieldPlace> places;
  if (auto exact = find_field(root, fields)) {
    places.push_back(*exact);
  } else if (const auto glob = Glob::of_path(fields)) {
    places = match_fields(root, *glob);
  }
  std::vector<std::uint32_t> columns;
  for (const FieldPlace& place : places) {
    for (std::uint32_t i = 0; i < place.column_count; ++i)
      columns.push_back(place.first_column + i);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

struct RecordFollower::Parts {
  // What of the last save that could be read is compared with the next one.
  struct Seen {
    std::shared_ptr<const Reader> reader;
    std::size_t table = 0;
    std::vector<std::uint32_t> columns;  // of the fields
    std::vector<std::uint64_t> stored;   // of the blocks of the row group
    std::optional<diffing::ColumnHashes> hashes;
    std::uint32_t tenant = 0;  // the generation of the record in the slot
  };

  FollowedRecord record;
  FollowOptions options;
  std::optional<Seen> seen;
  std::unique_ptr<Row> row;   // of the record, while it is there
  bool awaits_reuse = false;  // it is gone, and its slot was not used again
  bool has_begun = false;     // a save was looked at, perhaps one without the table

  // The table is gone, and each of its records.
  RecordStep lose_table() {
    RecordStep step{RecordEvent::no_table, 0, 0, {}};
    if (row) step = {RecordEvent::erased, seen->tenant, 0, {}};
    awaits_reuse = awaits_reuse || row;
    row.reset();
    seen.reset();
    has_begun = true;
    return step;
  }

  [[nodiscard]] Result<RecordStep> look_at(std::shared_ptr<const Reader> reader);
  [[nodiscard]] Result<std::unique_ptr<Row>> read(const Seen& now,
                                                  const std::vector<std::uint32_t>& columns,
                                                  std::uint32_t& tenant) const;
  [[nodiscard]] RecordStep step_to(std::uint32_t tenant, std::unique_ptr<Row> now);
  [[nodiscard]] std::optional<Value> followed(const Row& of) const;
  [[nodiscard]] std::vector<FieldChange> changes(const Row& before, const Row& now) const;
  [[nodiscard]] std::vector<FieldChange> all_fields(const Row& of) const;
  [[nodiscard]] std::string text_of(const Value& value, const Row& of) const {
    const HandleNamer namer(of.reader->tables());
    return options.json ? value_json(value, namer, options.max_value_bytes)
                        : value_text(value, namer, options.max_value_bytes);
  }
  [[nodiscard]] bool is_followed(std::uint32_t generation) const noexcept {
    return generation != 0 && (record.generation == 0 || generation == record.generation);
  }
  // The path of `followed` in the record.
  [[nodiscard]] std::string base() const {
    return history::has_element_number(record.fields) ? record.fields : std::string();
  }
};

// The record in the slot with these columns, and its generation; nothing unless it is followed.
Result<std::unique_ptr<Row>> RecordFollower::Parts::read(const Seen& now,
                                                         const std::vector<std::uint32_t>& columns,
                                                         std::uint32_t& tenant) const {
  const TableDescriptor& table = now.reader->tables()[now.table];
  const Field& root = now.reader->schemas()[table.schema];
  const std::uint64_t group = record.slot >> table.group_shift;
  RowDecoder decoder(root, columns, options.max_row_values);
  auto found = std::make_unique<Row>();
  auto status = now.reader->read_columns(now.table, group, decoder.needed_columns(), found->group);
  if (!status) return fail(std::move(status.error()));
  const auto at = static_cast<std::size_t>(record.slot - table.group_begin(group));
  const auto is_live = [](std::uint8_t state) {
    return state == static_cast<std::uint8_t>(SlotState::live);
  };
  const auto& states = found->group.states;
  tenant = is_live(states[at]) ? found->group.generations[at] : 0;
  if (!is_followed(tenant)) return std::unique_ptr<Row>();
  const auto rank = static_cast<std::size_t>(
      std::count_if(states.begin(), states.begin() + static_cast<std::ptrdiff_t>(at), is_live));
  status = history::decode_row(root, decoder, found->group, rank, found->bytes, found->value);
  if (!status) return fail(std::move(status.error()).in(handle_name(table, record.slot, tenant)));
  found->reader = now.reader;
  return found;
}

Result<RecordStep> RecordFollower::Parts::look_at(std::shared_ptr<const Reader> reader) {
  const auto table_number = history::index_of(reader->tables(), record.table);
  if (!table_number) return lose_table();
  const TableDescriptor& table = reader->tables()[*table_number];
  const Field& root = reader->schemas()[table.schema];
  Seen now;
  now.reader = std::move(reader);
  now.table = *table_number;
  bool alike = false;
  if (seen && !options.read_all) {
    const TableDescriptor& before = seen->reader->tables()[seen->table];
    alike = history::same_shape(before, seen->reader->schemas()[before.schema], table, root);
  }
  now.columns = alike ? seen->columns : followed_columns(root, record.fields);
  if (now.columns.empty() && !root.children.empty())
    return RecordStep{RecordEvent::no_field, 0, 0, {}};

  const auto finish = [&](std::unique_ptr<Row> found) {
    RecordStep step = step_to(now.tenant, std::move(found));
    seen = std::move(now);
    return step;
  };
  if (record.slot >= table.slot_count) return finish(nullptr);
  const std::uint64_t group = record.slot >> table.group_shift;
  for (const BlockInfo& block : now.reader->blocks()) {
    if (static_cast<format::BlockType>(block.type) == format::BlockType::rows &&
        block.table == now.table && block.group == group)
      now.stored.push_back(block.payload_hash);
  }
  const auto nothing_new = [&] {
    now.tenant = seen->tenant;
    const RecordStep step{RecordEvent::none, now.tenant, now.tenant, {}};
    seen = std::move(now);
    return step;
  };
  if (alike && !now.stored.empty() && now.stored == seen->stored) {
    now.hashes = std::move(seen->hashes);
    return nothing_new();
  }
  const auto chunks = now.reader->chunks(now.table, group);
  if (!chunks) return fail(chunks.error());
  now.hashes.emplace(*chunks);
  if (alike && seen->hashes && now.hashes->same_slots(*seen->hashes)) {
    std::vector<std::uint32_t> differing;
    for (const std::uint32_t column : now.columns) {
      if (now.hashes->of_column(column) != seen->hashes->of_column(column))
        differing.push_back(column);
    }
    if (differing.empty() || !is_followed(seen->tenant)) return nothing_new();
    if (row && differing != now.columns) {
      // Often only neighbours changed: a look at what differs shows it.
      const auto part = read(now, differing, now.tenant);
      if (!part) return fail(part.error());
      if (*part && diffing::equal_values((*part)->value, row->value)) return nothing_new();
    }
  }
  auto found = read(now, now.columns, now.tenant);
  if (!found) return fail(std::move(found.error()));
  return finish(*std::move(found));
}

RecordStep RecordFollower::Parts::step_to(std::uint32_t tenant, std::unique_ptr<Row> now) {
  const std::uint32_t before = seen ? seen->tenant : 0;
  RecordStep step{RecordEvent::none, before, tenant, {}};
  if (row && now && before == tenant) {
    step.fields = changes(*row, *now);
    if (!step.fields.empty()) step.event = RecordEvent::changed;
  } else if (now) {
    step.event = row ? RecordEvent::reused : has_begun ? RecordEvent::born : RecordEvent::found;
    step.fields = all_fields(*now);
  } else if (row) {
    step.event = tenant != 0 ? RecordEvent::reused : RecordEvent::erased;
    awaits_reuse = tenant == 0;
  } else if (awaits_reuse && tenant != 0) {
    step.event = RecordEvent::reused;
    step.old_generation = record.generation;
    awaits_reuse = false;
  }
  if (now) awaits_reuse = false;
  row = std::move(now);
  has_begun = true;
  return step;
}

// What of a record is followed; nothing if it does not have the element.
std::optional<Value> RecordFollower::Parts::followed(const Row& of) const {
  if (!history::has_element_number(record.fields)) return of.value;
  auto found = find_value(of.value, record.fields);
  if (!found) return std::nullopt;
  return *std::move(found);
}

namespace {

// Fields of structures that only one side has, in the order of their schema: `only(path, value)`.
template <class Only>
void for_each_unshared(const Value& a, const Value& b, const std::string& path, const Only& only) {
  if (a.field->kind != FieldKind::structure || b.field->kind != FieldKind::structure) return;
  for (const Value& child : a.children) {
    const std::string name = child_path(path, child.field->name);
    if (const Value* const other = b.child(child.field->name)) {
      for_each_unshared(child, *other, name, only);
    } else {
      only(name, child);
    }
  }
}

// Fields whose values cannot be compared, because their types differ too much.
template <class Found>
void for_each_retyped(const Value& a, const Value& b, const std::string& path, const Found& found) {
  if (!diffing::are_comparable(*a.field, *b.field)) return found(path, a, b);
  if (a.field->kind != FieldKind::structure) return;
  for (const Value& child : a.children) {
    if (const Value* const other = b.child(child.field->name))
      for_each_retyped(child, *other, child_path(path, child.field->name), found);
  }
}

}  // namespace

std::vector<FieldChange> RecordFollower::Parts::changes(const Row& before, const Row& now) const {
  std::vector<FieldChange> found;
  const auto add = [&](const std::string& path, const Value* a, const Value* b,
                       std::string note = {}) {
    FieldChange change;
    change.path = path;
    if (a != nullptr) change.old_value = text_of(*a, before);
    if (b != nullptr) change.new_value = text_of(*b, now);
    if (a != nullptr && b != nullptr) change.change = diffing::difference_text(*a, *b);
    change.note = std::move(note);
    found.push_back(std::move(change));
  };
  const auto a = followed(before);
  const auto b = followed(now);
  if (!a || !b) {
    if (a || b) add(base(), a ? &*a : nullptr, b ? &*b : nullptr);
    return found;
  }
  diffing::for_each_difference(
      *a, *b, base(),
      [&](const std::string& path, const Value* x, const Value* y) { add(path, x, y); });
  if (a->field == b->field || *a->field == *b->field) return found;
  for_each_retyped(*a, *b, base(), [&](const std::string& path, const Value& x, const Value& y) {
    add(path, &x, &y, type_text(*x.field) + " became " + type_text(*y.field));
  });
  for_each_unshared(*a, *b, base(), [&](const std::string& path, const Value& value) {
    add(path, &value, nullptr, "the field was removed");
  });
  for_each_unshared(*b, *a, base(), [&](const std::string& path, const Value& value) {
    add(path, nullptr, &value, "the field was added");
  });
  return found;
}

std::vector<FieldChange> RecordFollower::Parts::all_fields(const Row& of) const {
  std::vector<FieldChange> found;
  const auto value = followed(of);
  if (!value) return found;
  for_each_leaf(*value, base(), [&](const std::string& path, const Value& leaf) {
    FieldChange change;
    change.path = path;
    change.new_value = text_of(leaf, of);
    found.push_back(std::move(change));
  });
  return found;
}

RecordFollower::RecordFollower(FollowedRecord record, const FollowOptions& options)
    : parts_(std::make_unique<Parts>()) {
  parts_->record = std::move(record);
  parts_->options = options;
}
RecordFollower::~RecordFollower() = default;

Result<RecordStep> RecordFollower::next(std::shared_ptr<const Reader> reader) {
  return parts_->look_at(std::move(reader));
}

bool RecordFollower::exists() const noexcept { return parts_->row != nullptr; }

void RecordFollower::for_each_value(
    const std::function<void(const std::string&, const Value&, const HandleNamer&)>& leaf) const {
  if (!parts_->row) return;
  const HandleNamer namer(parts_->row->reader->tables());
  if (const auto value = parts_->followed(*parts_->row)) {
    for_each_leaf(*value, parts_->base(),
                  [&](const std::string& path, const Value& each) { leaf(path, each, namer); });
  }
}

}  // namespace hdb
