// What differs outside of records: policies, counters, free lists, and what dropped tables issued.
#include <algorithm>
#include <concepts>

#include "hdb/inspect/schema.hpp"
#include "inspect/diff/slot_diff.hpp"

namespace hdb::diffing {
namespace {

std::string text_of(std::string_view text) { return std::string(text); }
template <std::unsigned_integral T>
std::string text_of(T number) {
  return std::to_string(number);
}
std::string text_of(bool value) { return value ? "true" : "false"; }

template <class T>
void note(std::vector<TableNote>& notes, std::string_view what, const T& a, const T& b) {
  if (!(a == b)) notes.push_back({std::string(what), text_of(a), text_of(b), {}});
}

// What differs in one space, which both lists have; empty if nothing does.
std::string issued_text(const DroppedHandles& a, const DroppedHandles& b) {
  if (a.highest != b.highest)
    return "highest generation " + text_of(a.highest) + " -> " + text_of(b.highest);
  if (a.floor != b.floor) return "floor " + text_of(a.floor) + " -> " + text_of(b.floor);
  return a.slots == b.slots ? std::string() : "generations of slots";
}

// A note for each space that differs: "handles of 'Unit' <32,31>: highest generation 2 -> 3".
void note_dropped(std::vector<TableNote>& notes, const std::string& what,
                  const std::vector<DroppedHandles>& a, const std::vector<DroppedHandles>& b) {
  const auto add = [&](const HandleSpace& space, const std::string& text) {
    if (!text.empty()) notes.push_back({what, {}, {}, space_text(space) + ": " + text});
  };
  auto in_a = a.begin();
  auto in_b = b.begin();
  while (in_a != a.end() || in_b != b.end()) {
    if (in_b == b.end() || (in_a != a.end() && *in_a < *in_b)) {
      add(*in_a, "only before");
      ++in_a;
    } else if (in_a == a.end() || *in_b < *in_a) {
      add(*in_b, "only now");
      ++in_b;
    } else {
      add(*in_a, issued_text(*in_a, *in_b));
      ++in_a, ++in_b;
    }
  }
}

}  // namespace

std::vector<TableNote> database_notes(const DatabaseDescriptor& a, const DatabaseDescriptor& b) {
  std::vector<TableNote> notes;
  note(notes, "highest type id", a.highest_type_id, b.highest_type_id);
  for (const std::uint8_t tag : format::kKnownCatalogExtensions) {
    const bool is_hashed = tag == format::kExtensionDroppedHandles;
    note_dropped(notes,
                 is_hashed ? "handles of dropped tables" : "handles of unhashed dropped tables",
                 dropped_handles_of(a, tag), dropped_handles_of(b, tag));
  }
  const auto others = [](std::vector<Extension> extensions) {
    std::erase_if(extensions, [](const Extension& each) {
      return is_known(each.tag, format::kKnownCatalogExtensions);
    });
    return extensions_text(extensions);
  };
  note(notes, "extensions", others(a.extensions), others(b.extensions));
  return notes;
}

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
  note(notes, "component of", a.owner, b.owner);
  note(notes, "removal", removal_name(a.policy.removal), removal_name(b.policy.removal));
  const bool follow_owners = a.policy.is_component && b.policy.is_component;
  if (!follow_owners) note(notes, "slots", a.slot_count, b.slot_count);
  note(notes, "retired slots", a.retired_count, b.retired_count);
  note(notes, "counter", a.counter, b.counter);
  if (!follow_owners) note(notes, "highest generation", a.highest_generation, b.highest_generation);
  note(notes, "names", names_name(a.policy.names), names_name(b.policy.names));
  note(notes, "blobs", blobs_text(a.blobs), blobs_text(b.blobs));
  note(notes, "flush cursor", a.flush_cursor, b.flush_cursor);
  note(notes, "extensions", extensions_text(a.extensions), extensions_text(b.extensions));
  return notes;
}

std::optional<TableNote> free_list_note(const std::vector<std::uint32_t>& a,
                                        const std::vector<std::uint32_t>& b, bool holes) {
  const auto [at_a, at_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (at_a == a.end() && at_b == b.end()) return std::nullopt;
  const auto slot = [holes](const auto& at, const auto& list) {
    return at == list.end() ? std::string("the end")
                            : (holes ? "position " : "slot ") + std::to_string(*at);
  };
  TableNote note;
  note.what = holes ? "holes" : "free list";
  note.old_value = std::to_string(a.size());
  note.new_value = std::to_string(b.size());
  note.detail = "first difference at entry " + std::to_string(at_a - a.begin()) + ": " +
                slot(at_a, a) + " -> " + slot(at_b, b);
  return note;
}

}  // namespace hdb::diffing
