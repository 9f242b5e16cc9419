// What dropped tables issued: the content of two extensions of the catalog.
//
//   content := count varint, count * space
//   space   := type id u16, layout u8 u8 u8, name text, highest varint, floor varint,
//              count varint, count * (skip varint, generation varint)
#include <algorithm>
#include <tuple>
#include <utility>

#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {
namespace {

constexpr std::size_t kMinSpaceBytes = 9;
constexpr std::size_t kMinSlotBytes = 2;

auto order_of(const HandleSpace& space) {
  return std::tuple(space.type_id, space.layout.index_bits, space.layout.generation_bits,
                    space.layout.type_bits, std::string_view(space.type_name));
}

std::string find_space_fault(const DroppedHandles& space, std::uint16_t highest_type_id) {
  const HandleLayout& layout = space.layout;
  if (!layout.is_valid()) return "handle layout " + layout_text(layout) + " is not possible";
  if ((layout.type_bits != 0) != (space.type_id != 0))
    return "type id " + std::to_string(space.type_id) + " does not fit the handle layout";
  if (layout.type_bits != 0) {
    if (space.type_id >> layout.type_bits != 0) return "the type id does not fit the handle layout";
    if (space.type_id > highest_type_id) return "the type id is above the highest of the catalog";
    if (!space.type_name.empty()) return "handles with a type id have a name";
  }
  if (space.highest == 0 || space.highest > layout.max_generation())
    return "a highest generation of " + std::to_string(space.highest) + " is not possible";
  if (space.floor > space.highest) return "the floor is above the highest generation";
  if (space.floor == 0 && space.slots.empty()) return "no handle was issued";
  return {};
}

void read_slots(ByteReader& in, DroppedHandles& space) {
  const std::uint64_t start = in.offset();
  const std::uint64_t count = in.varint();
  if (count > in.remaining() / kMinSlotBytes) in.fail_at(start, "the list of slots is cut off");
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t at = in.offset();
    const std::uint64_t skip = in.varint();
    const std::uint64_t generation = in.varint();
    const std::uint64_t most = space.layout.max_slots();
    if (skip >= most || next >= most - skip) return in.fail_at(at, "a slot is beyond the last");
    if (generation <= space.floor || generation > space.highest)
      return in.fail_at(at, "generation " + std::to_string(generation) + " is not possible");
    next += skip;
    space.slots.emplace_back(static_cast<std::uint32_t>(next),
                             static_cast<std::uint32_t>(generation));
    ++next;
  }
}

DroppedHandles read_space(ByteReader& in, std::uint16_t highest_type_id) {
  const std::uint64_t start = in.offset();
  DroppedHandles space;
  space.type_id = in.u16();
  space.layout = {in.u8(), in.u8(), in.u8()};
  space.type_name = in.text(format::kMaxNameBytes);
  const auto generation = [&] {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(in.varint(), ~std::uint32_t{0}));
  };
  space.highest = generation();
  space.floor = generation();
  if (in.ok() && space.layout.is_valid()) read_slots(in, space);
  if (!in.ok()) return space;
  if (std::string fault = find_space_fault(space, highest_type_id); !fault.empty())
    in.fail_at(start, std::move(fault));
  return space;
}

// Up to the first fault, which `in` keeps.
template <class Keep>
void read_spaces(ByteReader& in, std::uint16_t highest_type_id, const Keep& keep) {
  const std::uint64_t count = in.varint();
  if (count == 0 || count > in.remaining() / kMinSpaceBytes)
    in.fail_here("a list of " + std::to_string(count) + " kinds of handles is not possible");
  DroppedHandles last;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t start = in.offset();
    DroppedHandles space = read_space(in, highest_type_id);
    if (in.ok() && i != 0 && order_of(space) <= order_of(last))
      in.fail_at(start, "the kinds of handles are not in rising order");
    if (!in.ok()) return;
    keep(space);
    last = std::move(space);
  }
  in.expect_end();
}

std::uint8_t extension_flags(std::uint8_t tag) noexcept {
  return tag == format::kExtensionDroppedHandles
             ? format::kExtensionHashed | format::kExtensionSafeToCopy
             : format::kExtensionSafeToCopy;
}

std::string find_list_fault(const DatabaseDescriptor& database, std::uint8_t tag) {
  const Extension* const extension = find_extension(database.extensions, tag);
  if (extension == nullptr) return {};
  if (extension->flags != extension_flags(tag))
    return "it has flags " + std::to_string(extension->flags);
  if (extension->bytes.size() > format::kMaxCatalogExtensionBytes)
    return "it needs " + std::to_string(extension->bytes.size()) + " bytes, more than " +
           std::to_string(format::kMaxCatalogExtensionBytes);
  ByteReader in(extension->bytes);
  read_spaces(in, database.highest_type_id, [](const DroppedHandles&) {});
  return in.ok() ? std::string() : in.error().what;
}

}  // namespace

bool operator<(const HandleSpace& a, const HandleSpace& b) noexcept {
  return order_of(a) < order_of(b);
}

std::string space_text(const HandleSpace& space) {
  const std::string layout = ' ' + layout_text(space.layout);
  if (space.type_id != 0) return "type id " + std::to_string(space.type_id) + layout;
  if (space.type_name.empty()) return "handles of a type without a name" + layout;
  if (space.type_name.front() == format::kTableNameMark)
    return "handles of table '" + space.type_name.substr(1) + "'" + layout;
  return "handles of '" + space.type_name + "'" + layout;
}

std::string find_dropped_handles_fault(const DatabaseDescriptor& database) {
  for (const std::uint8_t tag : format::kKnownCatalogExtensions) {
    const std::string fault = find_list_fault(database, tag);
    if (fault.empty()) continue;
    return "what dropped tables issued, extension " + std::to_string(tag) +
           " of the catalog: " + fault;
  }
  return {};
}

std::vector<DroppedHandles> dropped_handles_of(const DatabaseDescriptor& database,
                                               std::uint8_t tag) {
  std::vector<DroppedHandles> spaces;
  const Extension* const extension = find_extension(database.extensions, tag);
  if (extension == nullptr) return spaces;
  ByteReader in(extension->bytes);
  read_spaces(in, database.highest_type_id,
              [&](const DroppedHandles& space) { spaces.push_back(space); });
  return spaces;
}

void add_dropped_handles(DatabaseDescriptor& database, std::uint8_t tag,
                         const std::vector<DroppedHandles>& spaces) {
  if (spaces.empty()) return;
  Extension& extension = database.extensions.emplace_back(Extension{tag, extension_flags(tag), {}});
  ByteWriter out(extension.bytes);
  out.varint(spaces.size());
  for (const DroppedHandles& space : spaces) {
    out.u16(space.type_id);
    out.u8(space.layout.index_bits);
    out.u8(space.layout.generation_bits);
    out.u8(space.layout.type_bits);
    out.text(space.type_name);
    out.varint(space.highest);
    out.varint(space.floor);
    out.varint(space.slots.size());
    std::uint64_t next = 0;
    for (const auto& [slot, generation] : space.slots) {
      out.varint(slot - next);
      out.varint(generation);
      next = std::uint64_t{slot} + 1;
    }
  }
}

}  // namespace hdb
