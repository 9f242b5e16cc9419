// What differs between two tables outside of their records: policies, counters, free lists.
#include <algorithm>

#include <fmt/format.h>

#include "describe.hpp"
#include "diff/table_diff.hpp"
#include "hdb/schema/constants.hpp"
#include "input.hpp"

namespace hdb::inspect {
namespace {

template <class T>
void note(std::vector<TableNote>& notes, std::string_view what, const T& a, const T& b) {
  if (!(a == b))
    notes.push_back({std::string(what), fmt::format("{}", a), fmt::format("{}", b), {}});
}

std::vector<std::uint64_t> free_list_hashes(const TableSide& side) {
  std::vector<std::uint64_t> hashes;
  for (const BlockInfo& block : side.reader->blocks()) {
    if (static_cast<format::BlockType>(block.type) != format::BlockType::free_list ||
        block.table != side.table)
      continue;
    hashes.push_back(block.raw_bytes);
    hashes.push_back(block.payload_hash);
  }
  return hashes;
}

}  // namespace

std::vector<TableNote> descriptor_notes(const TableDescriptor& a, const TableDescriptor& b) {
  std::vector<TableNote> notes;
  note(notes, "storage", storage_name(a.policy.storage), storage_name(b.policy.storage));
  note(notes, "layout", layout_text(a.policy.layout), layout_text(b.policy.layout));
  note(notes, "free list policy", free_list_name(a.policy.free_list),
       free_list_name(b.policy.free_list));
  note(notes, "generations", generations_name(a.policy.generations),
       generations_name(b.policy.generations));
  note(notes, "overflow", overflow_name(a.policy.overflow), overflow_name(b.policy.overflow));
  note(notes, "type id", a.type_id, b.type_id);
  note(notes, "singleton", a.singleton, b.singleton);
  note(notes, "hashed", a.is_hashed(), b.is_hashed());
  note(notes, "slots", a.slot_count, b.slot_count);
  note(notes, "retired slots", a.retired_count, b.retired_count);
  note(notes, "counter", a.counter, b.counter);
  note(notes, "highest generation", a.highest_generation, b.highest_generation);
  note(notes, "names", names_name(a.policy.names), names_name(b.policy.names));
  note(notes, "blobs", blobs_text(a.blobs), blobs_text(b.blobs));
  note(notes, "flush cursor", a.flush_cursor, b.flush_cursor);
  note(notes, "sort work", sort_text(a.sort_work), sort_text(b.sort_work));
  return notes;
}

Result<std::optional<TableNote>> free_list_note(const TableSide& a, const TableSide& b) {
  if (free_list_hashes(a) == free_list_hashes(b)) return std::optional<TableNote>{};
  auto list_a = a.reader->read_free_list(a.table);
  if (!list_a) return fail(with_file(std::move(list_a.error()), a.file));
  auto list_b = b.reader->read_free_list(b.table);
  if (!list_b) return fail(with_file(std::move(list_b.error()), b.file));
  const auto [at_a, at_b] =
      std::mismatch(list_a->begin(), list_a->end(), list_b->begin(), list_b->end());
  if (at_a == list_a->end() && at_b == list_b->end()) return std::optional<TableNote>{};
  const auto slot = [](const auto& at, const auto& list) {
    return at == list.end() ? std::string("the end") : fmt::format("slot {}", *at);
  };
  TableNote note;
  note.what = "free list";
  note.old_value = fmt::format("{}", list_a->size());
  note.new_value = fmt::format("{}", list_b->size());
  note.detail = fmt::format("first difference at entry {}: {} -> {}", at_a - list_a->begin(),
                            slot(at_a, *list_a), slot(at_b, *list_b));
  return std::optional<TableNote>{std::move(note)};
}

}  // namespace hdb::inspect
