// Words of descriptors.
#include "hdb/inspect/schema.hpp"

#include <charconv>
#include <system_error>

namespace hdb {

std::string_view storage_name(Storage storage) noexcept {
  return storage == Storage::dense ? "dense" : "stable";
}

std::string_view free_list_name(FreeList free_list) noexcept {
  switch (free_list) {
    case FreeList::lifo: return "lifo";
    case FreeList::fifo: return "fifo";
    case FreeList::lowest: return "lowest";
  }
  return "unknown";
}

std::string_view generations_name(Generations generations) noexcept {
  return generations == Generations::per_slot ? "per_slot" : "table_counter";
}

std::string_view overflow_name(Overflow overflow) noexcept {
  return overflow == Overflow::retire ? "retire" : "wrap";
}

std::string_view names_name(RecordNames names) noexcept {
  switch (names) {
    case RecordNames::none: return "none";
    case RecordNames::exact: return "exact";
    case RecordNames::ignore_case: return "ignore_case";
  }
  return "unknown";
}

std::string_view removal_name(Removal removal) noexcept {
  return removal == Removal::swap ? "swap" : "in_place";
}

std::string_view compaction_name(Compaction compaction) noexcept {
  return compaction == Compaction::at_release ? "at_release" : "on_demand";
}

std::string_view key_rule_name(KeyRule rule) noexcept {
  switch (rule) {
    case KeyRule::repeat: return "repeat";
    case KeyRule::distinct: return "distinct";
    case KeyRule::compared: return "compared";
    case KeyRule::unknown: break;
  }
  return "unknown";
}

std::string blobs_text(const std::optional<BlobPolicy>& blobs) {
  if (!blobs) return "none";
  return std::to_string(blobs->capacity_bytes) + " bytes aligned to " +
         std::to_string(blobs->alignment) + ", compacted " +
         std::string(compaction_name(blobs->compaction));
}

std::string_view state_name(SlotState state) noexcept {
  switch (state) {
    case SlotState::free: return "free";
    case SlotState::live: return "live";
    case SlotState::retired: return "retired";
    case SlotState::unissued: return "unissued";
  }
  return "unknown";
}

std::string layout_text(const HandleLayout& layout) {
  std::string text =
      "<" + std::to_string(layout.index_bits) + "," + std::to_string(layout.generation_bits);
  if (layout.type_bits != 0) text += "," + std::to_string(layout.type_bits);
  return text + ">";
}

std::optional<HandleLayout> layout_of_text(std::string_view text) {
  HandleLayout layout;
  const auto take = [&text](char before, std::uint8_t& bits) {
    if (!text.starts_with(before)) return;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), bits);
    text.remove_prefix(error == std::errc{} ? static_cast<std::size_t>(end - text.data()) : 0);
  };
  const std::string_view whole = text;
  take('<', layout.index_bits);
  take(',', layout.generation_bits);
  take(',', layout.type_bits);
  return layout.is_valid() && layout_text(layout) == whole ? std::optional(layout) : std::nullopt;
}

}  // namespace hdb
