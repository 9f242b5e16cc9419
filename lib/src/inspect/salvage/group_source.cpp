// A lost column gets, in this order: the bytes with the stored hash from any neighbour; the values
// of the same records from the neighbours that agree in the other fields; the default.
#include "inspect/salvage/group_source.hpp"

#include <algorithm>

#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "inspect/diff/value_diff.hpp"

namespace hdb::salvaging {
namespace {

constexpr std::size_t kNobody = ~std::size_t{0};
// The largest value in a list of lost values.
constexpr std::uint64_t kMaxListedBytes = std::uint64_t{64} << 10;

bool is_live(const RowGroup& group, std::size_t at) {
  return group.states[at] == static_cast<std::uint8_t>(SlotState::live);
}

bool any_lost(const std::vector<bool>& lost, std::size_t first, std::size_t end) {
  const auto at = [&](std::size_t i) { return lost.begin() + static_cast<std::ptrdiff_t>(i); };
  return std::find(at(first), at(end), true) != at(end);
}

template <class AnyValue>
AnyValue& part_of(AnyValue& row, const std::vector<std::size_t>& way) {
  AnyValue* part = &row;
  for (const std::size_t child : way) part = &part->children[child];
  return *part;
}

}  // namespace

// The records of a table of another save, in rising order of slots.
class GroupSource::Rows {
 public:
  Rows(const format::DamagedFile& file, std::size_t table)
      : file_(file),
        number_(table),
        table_(file.tables()[table]),
        decoder_(file.schemas()[table_.schema]) {}

  // Null: it has no such record, or cannot be read.
  [[nodiscard]] const Value* find(std::uint64_t slot, std::uint32_t generation) {
    if (slot >= table_.slot_count) return nullptr;
    if (const std::uint64_t group = slot >> table_.group_shift; group_ != group) open(group);
    if (!is_open_) return nullptr;
    const auto at = static_cast<std::size_t>(slot - rows_.first_slot);
    for (; next_ <= at; ++next_) {
      is_open_ = is_open_ && (!is_live(rows_, next_) || decoder_.next(row_));
    }
    return is_open_ && is_live(rows_, at) && rows_.generations[at] == generation ? &row_ : nullptr;
  }
  [[nodiscard]] bool has(const Unit& unit) const {
    return !any_lost(lost_, unit.first_column, unit.end_column);
  }

 private:
  void open(std::uint64_t group) {
    group_ = group;
    next_ = 0;
    is_open_ = static_cast<bool>(file_.read_sound_columns(number_, group, {}, rows_, lost_));
    if (is_open_) decoder_.begin(rows_.columns);
  }

  const format::DamagedFile& file_;
  std::size_t number_;
  const TableDescriptor& table_;
  RowDecoder decoder_;
  std::uint64_t group_ = ~std::uint64_t{0};
  bool is_open_ = false;
  RowGroup rows_;
  std::vector<bool> lost_;
  std::size_t next_ = 0;
  Value row_;
};

// A group that is being filled.
struct GroupSource::Filling {
  std::size_t table;
  RowGroup& group;
  std::vector<Unit> sound;
  std::vector<Unit> lost;
  std::vector<std::vector<std::size_t>> sources;  // by lost unit and row: a neighbour, or kNobody
  std::vector<std::pair<std::uint64_t, std::uint32_t>> rows;  // slots and generations
};

Status GroupSource::add(Neighbour neighbour) {
  auto file = format::DamagedFile::open(std::move(neighbour.source), options_.limits);
  if (!file) {
    Error error = std::move(file.error());
    error.file = neighbour.name;
    return fail(std::move(error));
  }
  others_.push_back({std::move(neighbour.name), *std::move(file)});
  return {};
}

void GroupSource::find_units(const Field& field, const std::string& path, std::size_t& column,
                             std::vector<std::size_t>& way, std::vector<Unit>& out) {
  if (field.kind != FieldKind::structure) {
    const std::size_t first = column;
    column += columns_of(field).size();
    out.push_back({&field, path, first, column, way});
    return;
  }
  for (std::size_t i = 0; i < field.children.size(); ++i) {
    way.push_back(i);
    find_units(field.children[i], part_path(field, path, i), column, way, out);
    way.pop_back();
  }
}

// The table of this name, if its records can be compared: same fields, and handles that mean the
// same.
std::optional<std::size_t> GroupSource::table_in(const Other& other, std::size_t table,
                                                 std::string* reason) const {
  const TableDescriptor& ours = file_.tables()[table];
  const auto& theirs = other.file->tables();
  const auto found = std::find_if(theirs.begin(), theirs.end(), [&](const TableDescriptor& each) {
    return each.name == ours.name;
  });
  const auto refuse = [&](const char* why) {
    if (reason != nullptr) *reason = why;
    return std::nullopt;
  };
  if (found == theirs.end()) return refuse("it has no table of this name");
  if (other.file->schemas()[found->schema] != file_.schemas()[ours.schema])
    return refuse("its records have other fields");
  for (const TableDescriptor& each : theirs) {
    for (const TableDescriptor& own : file_.tables()) {
      if (each.name == own.name && each.type_id != own.type_id)
        return refuse("its tables have other type ids");
    }
  }
  return static_cast<std::size_t>(found - theirs.begin());
}

// `damage` is the fault of the group as it is in the file; `from` the neighbour whose bytes were
// used, and proven by their hashes.
Status GroupSource::read(std::size_t table, std::uint64_t group, RowGroup& out,
                         std::vector<bool>& lost, std::string* from,
                         std::optional<Error>& damage) const {
  const TableDescriptor& ours = file_.tables()[table];
  lost.assign(columns_of(file_.schemas()[ours.schema]).size() + 1, false);
  Status whole = file_.read_group(table, group, out);
  if (whole || category_of(whole.error().code) != ErrorCategory::corrupt) return whole;
  damage = std::move(whole.error());
  std::vector<std::pair<const Other*, std::size_t>> similar;
  for (const Other& other : others_) {
    const auto theirs = table_in(other, table, nullptr);
    if (!theirs) continue;
    similar.emplace_back(&other, *theirs);
    const TableDescriptor& other_table = other.file->tables()[*theirs];
    if (*theirs != table || other_table.policy.storage != ours.policy.storage ||
        other_table.slot_count != ours.slot_count || other_table.group_shift != ours.group_shift ||
        !file_.has_same_blocks(table, group, *other.file) ||
        !other.file->read_group(table, group, out) || !check_group_slots(ours, group, out)) {
      continue;
    }
    if (from != nullptr) *from = other.name;
    return {};
  }
  const auto spare = [&](const ChunkInfo& chunk, std::span<std::byte> to) {
    for (const auto& [other, number] : similar) {
      if (group >= other->file->tables()[number].group_count() ||
          !other->file->copy_chunk(number, group, chunk, to)) {
        continue;
      }
      if (from != nullptr) *from = other->name;
      return true;
    }
    return false;
  };
  if (!file_.read_sound_columns(table, group, spare, out, lost)) return fail(*damage);
  // A block of a blob table without its place is lost.
  const std::size_t prefix = ours.policy.names == RecordNames::none ? 0 : 2;
  const bool loses_place = ours.blobs && lost[prefix];
  const bool loses_any = any_lost(lost, 0, lost.size());
  if (loses_place || (loses_any && options_.drops_damaged_records)) return fail(*damage);
  return {};
}

// Finds the neighbours that may supply values: at least half of the values that can be compared
// are equal. Those with the most equal values come first.
Status GroupSource::rank(Filling& filling, TableSalvage& report, Damage& damage) const {
  std::vector<std::pair<std::uint64_t, std::size_t>> equal_values;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    std::string reason;
    std::uint64_t compared = 0;
    std::uint64_t equal = 0;
    if (const auto number = table_in(others_[i], filling.table, &reason)) {
      Rows theirs(*others_[i].file, *number);
      RowDecoder ours(file_.schemas()[file_.tables()[filling.table].schema]);
      ours.begin(filling.group.columns);
      Value row;
      for (const auto& [slot, generation] : filling.rows) {
        if (Status status = ours.next(row); !status) return status;
        const Value* const other = theirs.find(slot, generation);
        if (other == nullptr) continue;
        for (const Unit& unit : filling.sound) {
          if (!theirs.has(unit)) continue;
          ++compared;
          equal += diffing::equal_values(part_of(row, unit.way), part_of(*other, unit.way)) ? 1 : 0;
        }
      }
      if (compared == 0) {
        reason = "no sound value of the same records can be compared";
      } else if (equal * 2 < compared) {
        reason = "only " + std::to_string(equal) + " of " + std::to_string(compared) +
                 " sound values of the same records are equal";
      } else {
        equal_values.emplace_back(equal, i);
        continue;
      }
    }
    const auto is_known = [&](const RefusedNeighbour& each) {
      return each.name == others_[i].name;
    };
    auto& refused = report.refused_neighbours;
    if (std::none_of(refused.begin(), refused.end(), is_known))
      refused.push_back({others_[i].name, std::move(reason)});
  }
  std::stable_sort(equal_values.begin(), equal_values.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [equal, other] : equal_values) damage.order.push_back(other);
  return {};
}

// Takes the values that are lost still.
Status GroupSource::take(Filling& filling, std::size_t other) const {
  const Field& schema = file_.schemas()[file_.tables()[filling.table].schema];
  const auto number = table_in(others_[other], filling.table, nullptr);
  Rows theirs(*others_[other].file, *number);
  RowDecoder ours(schema);
  RowEncoder encoder(schema);
  std::vector<Bytes> columns;
  ours.begin(filling.group.columns);
  encoder.begin(columns);
  Value row;
  for (std::size_t i = 0; i < filling.rows.size(); ++i) {
    if (Status status = ours.next(row); !status) return status;
    const Value* const found = theirs.find(filling.rows[i].first, filling.rows[i].second);
    for (std::size_t u = 0; found != nullptr && u < filling.lost.size(); ++u) {
      const Unit& unit = filling.lost[u];
      // Names and places of other records may need what these had.
      if (filling.sources[u][i] != kNobody || unit.path.starts_with('@') || !theirs.has(unit))
        continue;
      part_of(row, unit.way) = part_of(*found, unit.way);
      filling.sources[u][i] = other;
    }
    if (Status status = encoder.append(row); !status) return status;
  }
  filling.group.columns = std::move(columns);
  return {};
}

Status GroupSource::fill(Filling& filling, const Damage& damage) const {
  for (const std::size_t other : damage.order) {
    if (Status status = take(filling, other); !status) return status;
  }
  return {};
}

GroupSource::Filling GroupSource::filling_of(std::size_t table, RowGroup& group,
                                             const std::vector<bool>& lost) const {
  Filling filling{table, group, {}, {}, {}, {}};
  std::vector<Unit> units;
  std::vector<std::size_t> way;
  std::size_t column = 0;
  find_units(file_.schemas()[file_.tables()[table].schema], {}, column, way, units);
  for (Unit& unit : units) {
    const bool is_lost = any_lost(lost, unit.first_column, unit.end_column);
    (is_lost ? filling.lost : filling.sound).push_back(std::move(unit));
  }
  for (std::size_t i = 0; i < group.states.size(); ++i) {
    if (is_live(group, i)) filling.rows.emplace_back(group.first_slot + i, group.generations[i]);
  }
  filling.sources.assign(filling.lost.size(),
                         std::vector<std::size_t>(filling.rows.size(), kNobody));
  return filling;
}

// A damaged pack is noted once.
void GroupSource::note_restored(const Error& error, const std::string& from) {
  const std::string effect = from.empty() ? "nothing is lost: the hashes of all columns are right"
                                          : "nothing is lost: " + from + " has the same bytes";
  if (restored_.empty() || restored_.back().error.offset != error.offset ||
      restored_.back().effect != effect)
    restored_.push_back({error, effect, false});
}

Result<std::vector<std::uint32_t>> GroupSource::read_free_list_part(std::size_t table,
                                                                    std::uint32_t part) {
  auto ours = file_.read_free_list_part(table, part);
  if (ours || category_of(ours.error().code) != ErrorCategory::corrupt) return ours;
  for (const Other& other : others_) {
    if (table_in(other, table, nullptr) != table ||
        other.file->tables()[table].listed_count() != file_.tables()[table].listed_count() ||
        !file_.has_same_free_list(table, part, *other.file))
      continue;
    auto theirs = other.file->read_free_list_part(table, part);
    if (!theirs) continue;
    note_restored(ours.error(), other.name);
    return theirs;
  }
  return ours;
}

// Reports each value to the listener.
Status GroupSource::list(const Filling& filling) const {
  if (!options_.on_lost_value) return {};
  const TableDescriptor& table = file_.tables()[filling.table];
  const HandleNamer namer(file_.tables());
  RowDecoder decoder(file_.schemas()[table.schema]);
  decoder.begin(filling.group.columns);
  Value row;
  for (std::size_t i = 0; i < filling.rows.size(); ++i) {
    if (Status status = decoder.next(row); !status) return status;
    for (std::size_t u = 0; u < filling.lost.size(); ++u) {
      const Unit& unit = filling.lost[u];
      const std::size_t source = filling.sources[u][i];
      options_.on_lost_value({filling.table, table.name, filling.rows[i].first,
                              filling.rows[i].second, unit.path,
                              value_json(part_of(row, unit.way), namer, kMaxListedBytes),
                              source == kNobody ? std::string_view{} : others_[source].name});
    }
  }
  return {};
}

Status GroupSource::survey(std::size_t table, std::uint64_t group, RowGroup& out,
                           TableSalvage& report) {
  std::vector<bool> lost;
  std::string from;
  std::optional<Error> error;
  if (Status status = read(table, group, out, lost, &from, error); !status) return status;
  if (!error) return {};
  Filling filling = filling_of(table, out, lost);
  if ((filling.lost.empty() && !lost.back()) || filling.rows.empty()) {
    note_restored(*error, from);
    return {};
  }
  // Lengths that say anything may make records that are too large; then the group is lost.
  RowDecoder decoder(file_.schemas()[file_.tables()[table].schema]);
  decoder.begin(out.columns);
  Value row;
  for (std::size_t i = 0; i < filling.rows.size(); ++i) {
    if (!decoder.next(row)) return fail(*error);
  }
  Damage& damage = damaged_[{table, group}];
  if (Status status = rank(filling, report, damage); !status) return status;
  if (Status status = fill(filling, damage); !status) return status;
  const std::vector<Column> columns = columns_of(file_.schemas()[file_.tables()[table].schema]);
  const std::uint64_t end_slot = out.first_slot + out.states.size();
  if (lost.back()) {
    report.lost_fields.push_back(
        {group, out.first_slot, end_slot, "@position", filling.rows.size(), {}, *error});
  }
  for (std::size_t u = 0; u < filling.lost.size(); ++u) {
    const Unit& unit = filling.lost[u];
    LostField field{group, out.first_slot, end_slot, unit.path, filling.rows.size(), {}, *error};
    for (const std::size_t other : damage.order) {
      const auto values = static_cast<std::uint64_t>(
          std::count(filling.sources[u].begin(), filling.sources[u].end(), other));
      if (values == 0) continue;
      field.taken.push_back({others_[other].name, values});
      for (std::size_t i = unit.first_column; i < unit.end_column; ++i)
        damage.fields.push_back(columns[i].field);
    }
    report.lost_fields.push_back(std::move(field));
  }
  return list(filling);
}

Status GroupSource::read_group(std::size_t table, std::uint64_t group, RowGroup& out) const {
  std::vector<bool> lost;
  std::optional<Error> error;
  if (Status status = read(table, group, out, lost, nullptr, error); !status) return status;
  const auto damage = damaged_.find({table, group});
  if (damage == damaged_.end() || damage->second.order.empty()) return {};
  Filling filling = filling_of(table, out, lost);
  return fill(filling, damage->second);
}

bool GroupSource::is_taken(std::size_t table, std::uint64_t slot, const Field* field) const {
  const auto damage = damaged_.find({table, slot >> file_.tables()[table].group_shift});
  if (damage == damaged_.end()) return false;
  const auto& fields = damage->second.fields;
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

}  // namespace hdb::salvaging
