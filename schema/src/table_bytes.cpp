// Canonical bytes of a table descriptor, and their strict reader.
//
//   name text, type id u16, schema u32, layout u8 u8 u8, storage u8, free list u8, generations u8,
//   overflow u8, flags u8, group shift u8, slots u64, live u64, retired u64, free u64, counter
//   u32, highest u32, names u8, blobs u8 [capacity u64, alignment u32, compaction u8], flush cursor
//   u32, extensions
#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"
#include "schema_check.hpp"

namespace hdb {
namespace {

// What a component table does not have belongs to its owner, or does not exist.
std::string find_component_fault(const TableDescriptor& table) {
  const TablePolicy& policy = table.policy;
  if (!policy.is_component) {
    return table.hole_count == 0 && table.owner.empty() && policy.removal == Removal::swap
               ? std::string()
               : "only a component table has an owner and holes";
  }
  if (std::string fault = find_name_fault(table.owner); !fault.empty())
    return "its owner: " + fault;
  if (table.owner == table.name) return "a component table is its own owner";
  if (table.type_id != 0 || table.singleton || table.blobs || policy.names != RecordNames::none ||
      policy.free_list != FreeList::lifo || policy.generations != Generations::per_slot ||
      policy.overflow != Overflow::retire || table.retired_count != 0 || table.free_count != 0 ||
      table.counter != 0 || table.flush_cursor != 0 ||
      find_extension(table.extensions, format::kExtensionSortWork) != nullptr) {
    return "a component table has nothing of its own but records: no type id, names, blobs, free "
           "or retired slots, counter, flush cursor or unfinished sort, and no policy but storage "
           "and removal";
  }
  if (policy.removal > Removal::in_place) return "the removal is unknown";
  if (policy.removal == Removal::in_place && policy.storage != Storage::dense)
    return "only a dense component table can keep holes";
  if (policy.removal == Removal::swap && table.hole_count != 0)
    return "the component table has holes, but its removal leaves none";
  if (table.hole_count > table.slot_count || table.position_count() > table.slot_count)
    return "records and holes are more than " + std::to_string(table.slot_count);
  return {};
}

// The extension of a component table.
Extension component_extension(const TableDescriptor& table) {
  Extension extension;
  extension.tag = format::kExtensionComponent;
  extension.flags = format::kComponentFlags;
  ByteWriter out(extension.bytes);
  out.text(table.owner);
  out.u8(static_cast<std::uint8_t>(table.policy.removal));
  out.varint(table.hole_count);
  return extension;
}

// Takes the extension out of the list, where it is. Empty, or what is wrong with it.
std::string take_component(TableDescriptor& table) {
  const Extension* const found = find_extension(table.extensions, format::kExtensionComponent);
  if (found == nullptr) return {};
  if (found->flags != format::kComponentFlags)
    return "the extension of a component table has other flags";
  ByteReader in(found->bytes, 0, ErrorCode::bad_table);
  table.policy.is_component = true;
  table.owner = in.text(format::kMaxNameBytes);
  table.policy.removal = static_cast<Removal>(in.u8());
  table.hole_count = in.varint();
  in.expect_end();
  if (!in.ok()) return "the extension of a component table is malformed";
  table.extensions.erase(table.extensions.begin() + (found - table.extensions.data()));
  return {};
}

std::string find_count_fault(const TableDescriptor& table) {
  const HandleLayout& layout = table.policy.layout;
  if (table.slot_count > layout.max_slots()) {
    return "slot count " + std::to_string(table.slot_count) + " does not fit the handle layout";
  }
  // Each count is checked first, so that the sum cannot wrap around. What is missing is unissued.
  if (table.live_count > table.slot_count || table.retired_count > table.slot_count ||
      table.free_count > table.slot_count ||
      table.live_count + table.retired_count + table.free_count > table.slot_count) {
    return "live, retired and free slots are more than " + std::to_string(table.slot_count);
  }
  if (table.highest_generation > layout.max_generation())
    return "the highest generation does not fit the handle layout";
  if (table.counter > layout.max_generation())
    return "the generation counter does not fit the handle layout";
  if (table.policy.generations == Generations::table_counter &&
      table.counter > table.highest_generation) {
    return "the generation counter is above the highest generation issued";
  }
  if (table.live_count != 0 && table.highest_generation == 0) {
    return "the table has live slots, but never issued a generation";
  }
  if (table.singleton && table.live_count > 1)
    return "the table is a singleton but has more than one record";
  return {};
}

std::string find_blob_fault(const TableDescriptor& table) {
  const BlobPolicy& blobs = *table.blobs;
  if (table.policy.storage != Storage::stable || table.singleton) {
    return "a blob table cannot be dense or a singleton";
  }
  if (blobs.capacity_bytes > format::kMaxBlobCapacityBytes)
    return "the blob capacity is larger than the format allows";
  if (!std::has_single_bit(blobs.alignment) || blobs.alignment > format::kMaxBlobAlignment) {
    return "a blob alignment of " + std::to_string(blobs.alignment) + " is not possible";
  }
  if (blobs.capacity_bytes % blobs.alignment != 0)
    return "the blob capacity is not a multiple of the alignment";
  if (blobs.compaction > Compaction::on_demand) return "the compaction is unknown";
  return {};
}

// What is in it is for the program alone.
bool is_possible_sort(const TableDescriptor& table) {
  const Extension* const sort_work = find_extension(table.extensions, format::kExtensionSortWork);
  if (sort_work == nullptr) return true;
  return table.policy.storage == Storage::dense && !sort_work->bytes.empty() &&
         sort_work->flags == format::kExtensionHashed;
}

std::string find_table_fault(const TableDescriptor& table) {
  std::string fault = find_name_fault(table.name);
  if (!fault.empty()) return fault;
  const HandleLayout& layout = table.policy.layout;
  if (!layout.is_valid()) return "handle layout " + layout_text(layout) + " is not possible";
  if (layout.type_bits == 0 && table.type_id != 0)
    return "the table has a type id, but its handle layout has none";
  if (layout.type_bits != 0 && table.type_id >> layout.type_bits != 0)
    return "the type id does not fit the handle layout";
  if (table.policy.storage > Storage::stable) return "the storage is unknown";
  if (table.policy.free_list > FreeList::lowest) return "the free-list policy is unknown";
  if (table.policy.generations > Generations::table_counter)
    return "the generation policy is unknown";
  if (table.policy.overflow > Overflow::wrap) return "the overflow policy is unknown";
  if (table.group_shift < format::kMinGroupShift || table.group_shift > format::kMaxGroupShift) {
    return "a group shift of " + std::to_string(table.group_shift) + " is not possible";
  }
  if (table.policy.names > RecordNames::ignore_case) return "the rule for names is unknown";
  if (table.flush_cursor != 0 && table.flush_cursor >= table.slot_count)
    return "the flush cursor is not a slot of the table";
  if (!is_possible_sort(table)) return "the unfinished sort work does not fit the table";
  if (table.blobs) {
    std::string blob_fault = find_blob_fault(table);
    if (!blob_fault.empty()) return blob_fault;
  }
  if (std::string component_fault = find_component_fault(table); !component_fault.empty())
    return component_fault;
  return find_count_fault(table);
}

void write_end(const TableDescriptor& table, ByteWriter& out, bool hashed_only) {
  out.u8(static_cast<std::uint8_t>(table.policy.names));
  out.u8(table.blobs ? 1 : 0);
  if (table.blobs) {
    out.u64(table.blobs->capacity_bytes);
    out.u32(table.blobs->alignment);
    out.u8(static_cast<std::uint8_t>(table.blobs->compaction));
  }
  out.u32(table.flush_cursor);
  if (!table.policy.is_component) return write_extensions(table.extensions, out, hashed_only);
  std::vector<Extension> extensions = table.extensions;
  const auto place = std::find_if(extensions.begin(), extensions.end(), [](const Extension& each) {
    return each.tag > format::kExtensionComponent;
  });
  extensions.insert(place, component_extension(table));
  write_extensions(extensions, out, hashed_only);
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
  write_end(table, out, false);
}

void write_table_extras(const TableDescriptor& table, ByteWriter& out) {
  write_end(table, out, true);
}

std::vector<Field> row_prefix(const TableDescriptor& table) {
  std::vector<Field> fields;
  const auto add = [&fields](FieldKind kind, const char* name) {
    fields.emplace_back();
    fields.back().kind = kind;
    fields.back().name = name;
  };
  if (table.policy.names != RecordNames::none) add(FieldKind::string, "@name");
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
      if (field == nullptr || *field != prefix[i])
        return "its records lack the field " + prefix[i].name;
    } else if (field->name.starts_with('@')) {
      return "the field name '" + field->name + "' is reserved";
    }
  }
  return {};
}

std::string find_owner_fault(const TableDescriptor& table,
                             std::span<const TableDescriptor> sorted) {
  if (!table.policy.is_component) return {};
  const auto found = std::lower_bound(
      sorted.begin(), sorted.end(), table.owner,
      [](const TableDescriptor& each, const std::string& name) { return each.name < name; });
  const std::string owner = "its owner '" + table.owner + "' ";
  if (found == sorted.end() || found->name != table.owner) return owner + "is not in the file";
  if (found->policy.is_component) return owner + "is a component table too";
  if (found->blobs || found->singleton) return owner + "is a blob table or a singleton";
  if (found->policy.layout != table.policy.layout) return owner + "has another handle layout";
  if (table.is_hashed() && !found->is_hashed()) return owner + "is not in the state hash";
  if (found->slot_count != table.slot_count ||
      found->highest_generation != table.highest_generation)
    return owner + "has another number of slots or another highest generation";
  if (table.live_count > found->live_count) return owner + "has fewer records";
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
  table.policy.names = static_cast<RecordNames>(in.u8());
  const std::uint8_t has_blobs = in.u8();
  if (has_blobs == 1) {
    table.blobs.emplace();
    table.blobs->capacity_bytes = in.u64();
    table.blobs->alignment = in.u32();
    table.blobs->compaction = static_cast<Compaction>(in.u8());
  }
  table.flush_cursor = in.u32();
  table.extensions = read_extensions(in, format::kKnownTableExtensions);
  if (!in.ok()) return table;
  if ((flags & ~format::kKnownTableFlags) != 0)
    in.fail_at(start, "a reserved flag of a table is set");
  if (has_blobs > 1) in.fail_at(start, "the blob flag is neither 0 nor 1");
  std::string fault = take_component(table);
  if (fault.empty()) fault = find_table_fault(table);
  if (!fault.empty()) in.fail_at(start, "table '" + table.name + "': " + fault);
  return table;
}

}  // namespace hdb
