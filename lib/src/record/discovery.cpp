// Discovers a type's schema, and whether its records are plain.
#include "record/discovery.hpp"

#include <bit>

#include "evolve/rename_check.hpp"
#include "hdb/detail/record/using_evolve.hpp"
#include "record/load_check.hpp"
#include "record/user_code.hpp"

namespace hdb::detail::record {
namespace {

/// Objects whose numbers are all 0, all 1, ... all this are probed: fields that are saved only for
/// some enumerator, count or flag are then seen to be so.
constexpr unsigned kMaxProbedValue = 16;

/// Visits the object; an exception of the user's code is a refusal.
void visit_once(const SerializeFunctions& ops, DescribeArchive& archive, const void* record,
                std::optional<Error>& refusal) {
  try {
    ops.describe_record(archive, record);
  } catch (const Unwind&) {  // recorded in the archive
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    if (!archive.error())
      refusal = Error{ErrorCode::user_code_threw, error.what(), kNoOffset, "schema discovery", {}};
  }
  if (archive.error()) refusal = archive.error();
}

bool visits_same_places(const SerializeFunctions& ops, const std::byte* record,
                        const std::vector<LeafPlace>& places, const Field& schema) {
  std::optional<Error> refusal;
  DescribeArchive archive(record, ops.size, &places);
  visit_once(ops, archive, record, refusal);
  return !refusal && archive.is_fixed() && archive.places() == places &&
         field_of(archive.root()) == schema;
}

/// Whether loading through the user's code and copying fields give the same record, byte for byte.
bool loads_by_copying(const SerializeFunctions& ops, const Discovery& found,
                      const std::byte* pattern) {
  std::vector<Bytes> columns(found.plan.columns.size());
  const void* const from[] = {pattern};
  const std::uint32_t zero[] = {0};
  RecordBatch batch;
  batch.records = from;
  batch.slots = zero;
  batch.generations = zero;
  encode_plain(found.layout, batch, &columns, nullptr);
  Room visited(ops);
  Room copied(ops);
  visited.construct();
  copied.construct();
  std::memcpy(copied.bytes(), visited.bytes(), ops.size);
  void* const to_visit[] = {visited.bytes()};
  void* const to_copy[] = {copied.bytes()};
  MemoryBudget budget(1 << 20);
  return decode_rows(ops, found.plan, columns, to_visit, budget).has_value() &&
         scatter(found.layout, found.plan, std::vector<ColumnBytes>(columns.begin(), columns.end()),
                 to_copy)
             .has_value() &&
         std::memcmp(visited.bytes(), copied.bytes(), ops.size) == 0;
}

// Requires: found.layout.
bool probe_plain(const SerializeFunctions& ops, const Discovery& found,
                 const std::vector<LeafPlace>& places, const Field& schema) {
  for (unsigned value = 0; value <= kMaxProbedValue; ++value) {
    for (const bool fills_all_bytes : {false, true}) {
      if (fills_all_bytes && value > 1) continue;
      Room room(ops);
      room.construct();
      for (const LeafPlace& place : places) {
        const unsigned leaf = place.kind == FieldKind::boolean ? value & 1 : value;
        std::memset(room.bytes() + place.offset, fills_all_bytes ? static_cast<int>(leaf) : 0,
                    place.width);
        room.bytes()[place.offset] = static_cast<std::byte>(leaf);
      }
      if (!visits_same_places(ops, room.bytes(), places, schema)) return false;
      if (!loads_by_copying(ops, found, room.bytes())) return false;
    }
  }
  return true;
}

/// Finds the fields that are copied to their places in records whose other fields are visited.
void find_placed(const DescribeArchive& archive, std::size_t record_bytes, Discovery& found) {
  const std::vector<RecordPart> parts = archive.parts();
  std::vector<LeafPlace> places;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    found.fields.push_back({parts[i].is_placed});
    if (!parts[i].is_placed) continue;
    const std::size_t end =
        i + 1 < parts.size() ? parts[i + 1].first_place : archive.places().size();
    for (std::size_t k = parts[i].first_place; k < end; ++k) places.push_back(archive.places()[k]);
  }
  if (places.empty() || !found.layout.build(found.plan, places, record_bytes, found.fields))
    found.fields.clear();
  for (const PlainColumn& column : found.layout.columns)
    found.visited_columns.push_back(column.runs.empty());
}

}  // namespace

Discovery discover(const SerializeFunctions& ops) {
  Discovery found;
  Room room(ops);
  room.construct();
  DescribeArchive archive(room.bytes(), ops.size);
  visit_once(ops, archive, room.bytes(), found.refusal);
  if (found.refusal) return found;
  found.described = archive.root();
  found.warnings = archive.warnings();
  DescribeArchive again(room.bytes(), ops.size);
  visit_once(ops, again, room.bytes(), found.refusal);
  if (found.refusal) return found;
  const Field schema = field_of(found.described);
  if (field_of(again.root()) != schema) {
    found.refusal = Error{ErrorCode::refused_type,
                          "serialize() saved different fields in two visits of the same object",
                          kNoOffset,
                          "",
                          {}};
    return found;
  }
  found.refusal = find_rename_fault(found.described);
  if (found.refusal) return found;
  found.plan = plan_of(schema);
  add_program_side(found.plan, found.described);
  LoadCheck check;
  if (auto difference = find_load_difference(ops, found.plan, room.bytes(), check)) {
    found.refusal = Error{ErrorCode::refused_type,
                          "save and load do not visit the same fields: " + difference->what,
                          kNoOffset,
                          difference->where + " of type '" + std::string(ops.type_name) + "'",
                          {}};
    return found;
  }
  if (std::endian::native != std::endian::little) return found;
  const bool may_be_plain = ops.may_be_plain && archive.is_fixed() &&
                            found.layout.build(found.plan, archive.places(), ops.size);
  found.is_plain = may_be_plain && (archive.is_all_aggregates() ||
                                    probe_plain(ops, found, archive.places(), schema));
  if (!found.is_plain) find_placed(archive, ops.size, found);
  return found;
}

void bind_tables(Field& field, const Described& described, const TableNamer& namer) {
  if (field.kind == FieldKind::handle && namer) field.table = namer(described.handle_key);
  for (std::size_t i = 0; i < described.children.size(); ++i) {
    bind_tables(field.children[i], described.children[i], namer);
  }
}

bool are_tables_bound(const Field& field, const Described& described, const TableNamer& namer) {
  if (field.kind == FieldKind::handle && namer && field.table != namer(described.handle_key))
    return false;
  for (std::size_t i = 0; i < described.children.size(); ++i) {
    if (!are_tables_bound(field.children[i], described.children[i], namer)) return false;
  }
  return true;
}

}  // namespace hdb::detail::record
