// The members of aggregates in loads: visited by their table, and not looked for where the stored
// schema is the type's.
#include "record/decode_buffers.hpp"
#include "record/placed_field.hpp"

namespace hdb::detail::record {

void DecodeArchive::set_exact(std::span<const PlacedField> fields) {
  is_exact_ = true;
  if (fields.empty()) return;
  placed_ = fields.data();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const PlanNode& node = *child(*nodes_, i);
    for (std::size_t c = node.column; fields[i].is_placed && c != end_column(node); ++c)
      cursors_[c].at = cursors_[c].end;
  }
}

void DecodeArchive::aggregate_record(const MemberTable& table, void* at) {
  pending_ = nodes_;
  frame_ = Frame{};
  aggregate(table, at);
}

void DecodeArchive::aggregate(const MemberTable& table, void* at) {
  const bool is_base = bases_.take_is_base();
  const std::size_t bases = bases_.size();
  Frame outer;
  if (std::uint32_t version = 0; begin_structure(false, outer, version)) {
    const void* members[kMostMembers];
    table.find(at, members);
    const PlanNode* const exact = is_exact_ ? frame_.node : nullptr;  // null inside opaque values
    const PlacedField* const placed = exact == nodes_ ? placed_ : nullptr;
    if (exact != nullptr) frame_.visited = static_cast<std::uint32_t>(table.count);
    for (std::size_t i = 0; i < table.count; ++i) {
      if (placed != nullptr && placed[i].is_placed) continue;
      if (exact != nullptr) pending_ = child(*exact, i);
      name_ = table.members[i].name;
      table.members[i].functions->load(*this, const_cast<void*>(members[i]));
    }
    end_structure(outer);
  }
  if (!is_base) bases_.shrink(bases);
}

}  // namespace hdb::detail::record
