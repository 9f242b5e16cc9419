// The whole file in the order of validate: blocks, tables, then a copy.
#include "type_free_check.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/salvage.hpp"
#include "hdb/inspect/validate.hpp"
#include "hdb/inspect/values.hpp"
#include "require.hpp"
#include "subject.hpp"

namespace hdb::fuzz {
namespace {

// Every byte that a value names is read, so that a bad pointer shows.
std::uint64_t touched(const Value& value) {
  std::uint64_t sum = value.bits;
  for (const std::byte byte : value.bytes) sum += std::to_integer<std::uint64_t>(byte);
  for (const Value& child : value.children) sum += touched(child);
  if (value.is_packed() && value.bits != 0) sum += touched(value.element(value.bits - 1));
  return sum;
}

void check_rows(const Field& schema, const RowGroup& group) {
  RowDecoder decoder(schema);
  decoder.begin(group.columns);
  Value row;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < group.live_count(); ++i) {
    const Status read = decoder.next(row);
    if (!read && read.error().code == ErrorCode::limit_exceeded) return;
    require(read.has_value(),
            "F5: rows of a sound group:", read ? "" : read.error().message().c_str());
    sum += touched(row);
  }
  require(decoder.finish().has_value(), "F5: the rows use a sound group up");
  static_cast<void>(sum);
  require(group_record_hash(schema, group).has_value(), "F5: a sound group has row hashes");
}

void check_columns(const Reader& reader, std::size_t table, std::uint64_t number,
                   const RowGroup& whole) {
  RowGroup some;
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < whole.columns.size(); i += 2) wanted.push_back(i);
  const Status read = reader.read_columns(table, number, wanted, some);
  require(read.has_value(),
          "F5: columns of a sound group:", read ? "" : read.error().message().c_str());
  require(some.states == whole.states && some.generations == whole.generations,
          "F5: the same slots");
  for (const std::uint32_t column : wanted) {
    require(some.columns[column] == whole.columns[column], "F5: the same columns");
  }
}

Status check_table(const Reader& reader, std::size_t index, ComponentChecker& components) {
  const TableDescriptor& table = reader.tables()[index];
  const Field& schema = reader.schemas()[table.schema];
  SlotChecker slots(table);
  Status first;
  const auto keep = [&first](Status status) {
    const bool is_sound = status.has_value();
    if (first && !is_sound) first = std::move(status);
    return is_sound;
  };
  RowGroup group;
  for (std::uint64_t number = 0; number < table.group_count(); ++number) {
    static_cast<void>(reader.chunks(index, number));
    if (!keep(reader.read_group(index, number, group))) continue;
    require(check_group(schema, group).has_value(), "F5: read_group checks the grammar");
    check_rows(schema, group);
    check_columns(reader, index, number, group);
    if (!keep(check_group_slots(table, number, group))) continue;
    keep(slots.add_group(number, group));
    components.add_group(index, number, group);
  }
  const auto list = reader.read_free_list(index);
  if (!list) return first ? Status(fail(list.error())) : first;
  keep(slots.add_free(*list));
  if (first) keep(slots.finish());
  return first;
}

// Whether a limit refused the file; its bytes may still be sound.
bool is_limit(const Error& error) { return category_of(error.code) == ErrorCategory::limit; }

// A deep check computes the state hash again: one that was carried over would be noticed.
void require_valid(const Bytes& file, ValidationLevel level, const char* what) {
  ValidationOptions how;
  how.level = level;
  const Validation checked = validate(std::make_unique<MemorySource>(file), how);
  require(!checked.trouble || is_limit(*checked.trouble), what,
          checked.trouble ? checked.trouble->message().c_str() : "");
  require(checked.findings.empty(), what,
          checked.findings.empty() ? "" : checked.findings.front().error.message().c_str());
}

void check_copy(std::shared_ptr<const Reader> reader) {
  MemorySink sink;
  const auto image = image_of(reader);
  const auto report = write_image(*image, sink);
  if (!report && category_of(report.error().code) == ErrorCategory::newer) return;
  require(report.has_value(),
          "F6: a sound file can be rewritten:", report ? "" : report.error().message().c_str());
  const auto copy = Reader::open(std::make_unique<MemorySource>(sink.bytes()));
  require(copy.has_value(),
          "F6: a rewritten file opens:", copy ? "" : copy.error().message().c_str());
  require((*copy)->tables() == reader->tables() && (*copy)->schemas() == reader->schemas(),
          "F6: a rewritten file has the same tables");
  require((*copy)->info().metadata == reader->info().metadata, "F6: the same metadata");
  require_valid(sink.bytes(), ValidationLevel::deep, "F6: a rewritten file is valid:");
}

// Whether something could be salvaged, and nothing was lost but handles that named no record.
bool check_salvage(std::span<const std::byte> bytes, LostReferences references) {
  SalvageOptions options;
  options.references = references;
  options.limits = limits_for(bytes);
  std::uint64_t told = 0;
  options.on_lost_slot = [&](const LostSlot&) { ++told; };
  options.on_lost_reference = [&](const LostReference& lost) { told += lost.path.size(); };
  const auto salvaged =
      salvage(std::make_unique<MemorySource>(MemorySource::borrowing(bytes)), options);
  if (!salvaged) {
    require(!salvaged.error().message().empty(), "F7: a refusal says why");
    return false;
  }
  MemorySink sink;
  const auto written = write_image(*salvaged->image, sink);
  require(written.has_value(), "F7: what was salvaged can be written:",
          written ? "" : written.error().message().c_str());
  require_valid(sink.bytes(),
                references == LostReferences::keep ? ValidationLevel::full : ValidationLevel::deep,
                "F7: what was salvaged is valid:");
  for (const TableSalvage& table : salvaged->tables) {
    if (table.records_before != table.records_after || !table.lost_groups.empty() ||
        !table.free_list_faults.empty())
      return false;
  }
  return true;
}

}  // namespace

Status check_type_free(std::span<const std::byte> bytes, bool verify_raw_hashes) {
  MemorySource source = MemorySource::borrowing(bytes);
  static_cast<void>(read_info(source, limits_for(bytes)));
  const bool nothing_lost = check_salvage(bytes, LostReferences::null);
  static_cast<void>(check_salvage(bytes, LostReferences::keep));
  static_cast<void>(check_salvage(bytes, LostReferences::drop));
  auto opened = Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(bytes)),
                             {limits_for(bytes), verify_raw_hashes});
  if (!opened) {
    require(!opened.error().message().empty(), "F1: a refusal says why");
    return fail(std::move(opened.error()));
  }
  const std::shared_ptr<const Reader> reader = *std::move(opened);
  Status first;
  for (std::size_t i = 0; i < reader->blocks().size(); ++i) {
    Status checked = reader->check_block(i);
    require(checked.has_value() == reader->read_payload(i).has_value(),
            "F5: check_block and read_payload agree");
    if (first && !checked) first = std::move(checked);
  }
  static_cast<void>(reader->read_thumbnail());
  ComponentChecker components(reader->tables());
  for (std::size_t i = 0; i < reader->tables().size(); ++i) {
    Status checked = check_table(*reader, i, components);
    if (first && !checked) first = std::move(checked);
  }
  if (first) first = components.finish();
  if (first) check_copy(reader);
  const bool rewritable = (reader->info().features.read_only & ~format::kKnownReadOnly) == 0;
  require(nothing_lost || !first || !rewritable || !verify_raw_hashes,
          "F7: nothing of a sound file is lost");
  return first;
}

}  // namespace hdb::fuzz
