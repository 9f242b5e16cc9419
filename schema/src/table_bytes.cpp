// Canonical bytes of a table descriptor, and their strict reader.
//
//   name text, type id u16, schema u32, layout u8 u8 u8, storage u8, free list u8, generations u8,
//   overflow u8, flags u8, group shift u8, slots u64, live u64, retired u64, free u64, counter
//   u32, highest u32, names u8, blobs u8 [capacity u64, alignment u32, compaction u8], flush cursor
//   u32, sort count varint, sort count * varint
#include <algorithm>
#include <bit>
#include <utility>

#include "hdb/detail/schema/sort_work.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/schema.hpp"
#include "schema_check.hpp"

namespace hdb {
namespace {

constexpr std::uint64_t kTooManySortNumbers = format::kMaxSortNumbers + 1;

std::string find_count_fault(const TableDescriptor& table) {
  const HandleLayout& layout = table.policy.layout;
  if (table.slot_count > layout.max_slots()) {
    return "slot count " + std::to_string(table.slot_count) + " exceeds the layout";
  }
  // Each count is checked first, so that the sum cannot wrap around.
  if (table.live_count > table.slot_count || table.retired_count > table.slot_count ||
      table.free_count > table.slot_count ||
      table.live_count + table.retired_count + table.free_count != table.slot_count) {
    return "live, retired and free slots do not add up to " + std::to_string(table.slot_count);
  }
  if (table.highest_generation > layout.max_generation())
    return "highest generation exceeds the layout";
  if (table.counter > layout.max_generation()) return "generation counter exceeds the layout";
  if (table.policy.generations == Generations::table_counter &&
      table.counter > table.highest_generation) {
    return "generation counter exceeds the highest generation issued";
  }
  if (table.live_count != 0 && table.highest_generation == 0) {
    return "live slots, but no generation was ever issued";
  }
  if (table.singleton && table.live_count > 1) return "a one-record table with more records";
  return {};
}

std::string find_blob_fault(const TableDescriptor& table) {
  const BlobPolicy& blobs = *table.blobs;
  if (table.policy.storage != Storage::stable || table.singleton) {
    return "a blob table that is dense or of one record";
  }
  if (blobs.capacity_bytes > format::kMaxBlobCapacityBytes) return "blob capacity";
  if (!std::has_single_bit(blobs.alignment) || blobs.alignment > format::kMaxBlobAlignment) {
    return "blob alignment " + std::to_string(blobs.alignment);
  }
  if (blobs.capacity_bytes % blobs.alignment != 0)
    return "blob capacity is no multiple of the alignment";
  if (blobs.compaction > Compaction::on_demand) return "unknown compaction";
  return {};
}

bool is_sound_sort(const TableDescriptor& table) {
  if (table.sort_work.empty()) return true;
  const auto work = SortWork::from_numbers(table.sort_work);
  return table.policy.storage == Storage::dense && work && work->is_sound(table.live_count);
}

std::string find_table_fault(const TableDescriptor& table) {
  std::string fault = find_name_fault(table.name);
  if (!fault.empty()) return fault;
  const HandleLayout& layout = table.policy.layout;
  if (!layout.is_valid()) return "handle layout " + layout_text(layout) + " is not possible";
  if (layout.type_bits == 0 && table.type_id != 0) return "a type id, but a layout without one";
  if (layout.type_bits != 0 && table.type_id >> layout.type_bits != 0)
    return "type id exceeds the layout";
  if (table.policy.storage > Storage::stable) return "unknown storage";
  if (table.policy.free_list > FreeList::fifo) return "unknown free-list policy";
  if (table.policy.generations > Generations::table_counter) return "unknown generation policy";
  if (table.policy.overflow > Overflow::wrap) return "unknown overflow policy";
  if (table.group_shift < format::kMinGroupShift || table.group_shift > format::kMaxGroupShift) {
    return "group shift " + std::to_string(table.group_shift);
  }
  if (table.policy.names > Names::ignore_case) return "unknown rule of names";
  if (table.flush_cursor != 0 && table.flush_cursor >= table.slot_count)
    return "the flush cursor is no slot";
  if (!is_sound_sort(table)) return "the sort work does not fit the table";
  if (table.blobs) {
    std::string blob_fault = find_blob_fault(table);
    if (!blob_fault.empty()) return blob_fault;
  }
  return find_count_fault(table);
}

}  // namespace

void write_table_descriptor(const TableDescriptor& table, ByteWriter& out) {
  out.text(table.name);
  out.u16(table.type_id);
  out.u32(table.schema);
  out.u8(table.policy.layout.index_bits);
  out.u8(table.policy.layout.generation_bits);
  out.u8(table.policy.layout.type_bits);
  out.u8(static_cast<std::uint8_t>(table.policy.storage));
  out.u8(static_cast<std::uint8_t>(table.policy.free_list));
  out.u8(static_cast<std::uint8_t>(table.policy.generations));
  out.u8(static_cast<std::uint8_t>(table.policy.overflow));
  out.u8(static_cast<std::uint8_t>((table.singleton ? format::kTableSingleton : 0) |
                                   (table.is_hashed() ? 0 : format::kTableUnhashed)));
  out.u8(table.group_shift);
  out.u64(table.slot_count);
  out.u64(table.live_count);
  out.u64(table.retired_count);
  out.u64(table.free_count);
  out.u32(table.counter);
  out.u32(table.highest_generation);
  write_table_extras(table, out);
}

void write_table_extras(const TableDescriptor& table, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(table.policy.names));
  out.u8(table.blobs ? 1 : 0);
  if (table.blobs) {
    out.u64(table.blobs->capacity_bytes);
    out.u32(table.blobs->alignment);
    out.u8(static_cast<std::uint8_t>(table.blobs->compaction));
  }
  out.u32(table.flush_cursor);
  out.varint(table.sort_work.size());
  for (const std::uint64_t number : table.sort_work) out.varint(number);
}

std::vector<Field> row_prefix(const TableDescriptor& table) {
  std::vector<Field> fields;
  const auto add = [&fields](FieldKind kind, const char* name) {
    fields.emplace_back();
    fields.back().kind = kind;
    fields.back().name = name;
  };
  if (table.policy.names != Names::none) add(FieldKind::string, "@name");
  if (table.blobs) {
    add(FieldKind::u64, "@offset");
    add(FieldKind::opaque, "@bytes");
  }
  return fields;
}

std::string find_prefix_fault(const TableDescriptor& table, const Field& root) {
  const std::vector<Field> prefix = row_prefix(table);
  for (std::size_t i = 0; i < std::max(prefix.size(), root.children.size()); ++i) {
    const Field* const field = i < root.children.size() ? &root.children[i] : nullptr;
    if (i < prefix.size()) {
      if (field == nullptr || *field != prefix[i]) return "its records have no " + prefix[i].name;
    } else if (field->name.starts_with('@')) {
      return "the field name '" + field->name + "' is reserved";
    }
  }
  return {};
}

TableDescriptor read_table_descriptor(ByteReader& in) {
  const std::uint64_t start = in.offset();
  TableDescriptor table;
  table.name = in.text(format::kMaxNameBytes);
  table.type_id = in.u16();
  table.schema = in.u32();
  table.policy.layout.index_bits = in.u8();
  table.policy.layout.generation_bits = in.u8();
  table.policy.layout.type_bits = in.u8();
  table.policy.storage = static_cast<Storage>(in.u8());
  table.policy.free_list = static_cast<FreeList>(in.u8());
  table.policy.generations = static_cast<Generations>(in.u8());
  table.policy.overflow = static_cast<Overflow>(in.u8());
  const std::uint8_t flags = in.u8();
  table.singleton = (flags & format::kTableSingleton) != 0;
  table.scope = (flags & format::kTableUnhashed) != 0 ? Scope::unhashed : Scope::full;
  table.group_shift = in.u8();
  table.slot_count = in.u64();
  table.live_count = in.u64();
  table.retired_count = in.u64();
  table.free_count = in.u64();
  table.counter = in.u32();
  table.highest_generation = in.u32();
  table.policy.names = static_cast<Names>(in.u8());
  const std::uint8_t has_blobs = in.u8();
  if (has_blobs == 1) {
    table.blobs.emplace();
    table.blobs->capacity_bytes = in.u64();
    table.blobs->alignment = in.u32();
    table.blobs->compaction = static_cast<Compaction>(in.u8());
  }
  table.flush_cursor = in.u32();
  const std::uint64_t sort_numbers = in.varint();
  for (std::uint64_t i = 0; i < std::min(sort_numbers, kTooManySortNumbers) && in.ok(); ++i) {
    table.sort_work.push_back(in.varint());
  }
  if (!in.ok()) return table;
  if ((flags & ~format::kKnownTableFlags) != 0) in.fail_at(start, "a reserved flag of a table");
  if (has_blobs > 1) in.fail_at(start, "blob flag is neither 0 nor 1");
  std::string fault = find_table_fault(table);
  if (!fault.empty()) in.fail_at(start, "table '" + table.name + "': " + fault);
  return table;
}

}  // namespace hdb
