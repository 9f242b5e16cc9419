// Edits of schemas and table descriptors that keep the catalog's own form.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "edit_bytes.hpp"

namespace hdb::fuzz {
namespace {

void collect(Field& field, std::vector<Field*>& out) {
  out.push_back(&field);
  for (Field& child : field.children) collect(child, out);
}

// Swaps, repeats, or takes away elements.
template <class T>
void edit_list(std::vector<T>& list, FuzzedDataProvider& in) {
  if (list.empty()) return;
  const auto pick = [&] { return in.ConsumeIntegralInRange<std::size_t>(0, list.size() - 1); };
  const std::size_t a = pick();
  const std::size_t b = pick();
  switch (in.ConsumeIntegralInRange(0, 2)) {
    case 0: std::swap(list[a], list[b]); return;
    case 1: list.erase(list.begin() + static_cast<std::ptrdiff_t>(a)); return;
    default: {
      T copy = list[a];
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(b), std::move(copy));
      return;
    }
  }
}

void edit_field(Field& root, FuzzedDataProvider& in) {
  std::vector<Field*> nodes;
  collect(root, nodes);
  const auto pick = [&]() -> Field& {
    return *nodes[in.ConsumeIntegralInRange<std::size_t>(0, nodes.size() - 1)];
  };
  Field& field = pick();
  switch (in.ConsumeIntegralInRange(0, 10)) {
    case 0: field.kind = static_cast<FieldKind>(in.ConsumeIntegralInRange(0, 25)); return;
    case 1: field.name = in.ConsumeRandomLengthString(8); return;
    case 2: field.count = edited_number(field.count, in); return;
    case 3: field.class_version = in.ConsumeIntegral<std::uint32_t>(); return;
    case 4: field.versioned = !field.versioned; return;
    case 5: field.utf8_checked = !field.utf8_checked; return;
    case 6: field.strong = !field.strong; return;
    case 7: field.table = in.ConsumeBool() ? "units" : in.ConsumeRandomLengthString(8); return;
    case 8: return edit_list(field.children, in);
    case 9: {  // what another field is, under this one's name
      Field other = pick();
      other.name = field.name;
      field = std::move(other);
      return;
    }
    default: {  // one level deeper
      Field inner = field;
      inner.name.clear();
      field.kind = static_cast<FieldKind>(in.ConsumeIntegralInRange(19, 21));
      field.count = 1;
      field.children = {std::move(inner)};
      return;
    }
  }
}

void edit_table(TableDescriptor& table, FuzzedDataProvider& in) {
  static constexpr HandleLayout kLayouts[] = {{32, 31, 0}, {16, 16, 0}, {20, 12, 0}, {32, 16, 15},
                                              {10, 6, 0},  {4, 1, 0},   {40, 23, 0}, {33, 15, 16}};
  const auto number = [&](auto& of) {
    of = static_cast<std::remove_reference_t<decltype(of)>>(edited_number(of, in));
  };
  switch (in.ConsumeIntegralInRange(0, 23)) {
    case 0: table.name = in.ConsumeRandomLengthString(8); return;
    case 1: return number(table.type_id);
    case 2: return number(table.schema);
    case 3: table.policy.layout = in.PickValueInArray(kLayouts); return;
    case 4: table.policy.storage = static_cast<Storage>(in.ConsumeIntegralInRange(0, 2)); return;
    case 5: table.policy.free_list = static_cast<FreeList>(in.ConsumeIntegralInRange(0, 2)); return;
    case 6:
      table.policy.generations = static_cast<Generations>(in.ConsumeIntegralInRange(0, 2));
      return;
    case 7: table.policy.overflow = static_cast<Overflow>(in.ConsumeIntegralInRange(0, 2)); return;
    case 8: table.singleton = !table.singleton; return;
    case 23: table.scope = table.is_hashed() ? Scope::unhashed : Scope::full; return;
    case 9: return number(table.group_shift);
    case 10: return number(table.slot_count);
    case 11: return number(table.live_count);
    case 12: return number(table.retired_count);
    case 13: return number(table.free_count);
    case 14: return number(table.counter);
    case 16: table.policy.names = static_cast<RecordNames>(in.ConsumeIntegralInRange(0, 3)); return;
    case 17: return number(table.flush_cursor);
    case 18: {
      Extension extension;
      number(extension.tag);
      number(extension.flags);
      const std::string bytes = in.ConsumeRandomLengthString(40);
      const auto added = std::as_bytes(std::span(bytes));
      extension.bytes.assign(added.begin(), added.end());
      table.extensions.push_back(std::move(extension));
      return;
    }
    case 19: return edit_list(table.extensions, in);
    case 20:
      if (table.blobs) number(table.blobs->capacity_bytes);
      return;
    case 21:
      if (table.blobs) number(table.blobs->alignment);
      return;
    case 15: {  // more slots than there is memory for, and yet they add up
      const std::uint64_t more = edited_number(0, in);
      table.slot_count += more;
      table.free_count += more;
      return;
    }
    default: return number(table.highest_generation);
  }
}

}  // namespace

void edit_catalog(format::Catalog& catalog, FuzzedDataProvider& in) {
  const auto pick = [&](auto& list) -> auto& {
    return list[in.ConsumeIntegralInRange<std::size_t>(0, list.size() - 1)];
  };
  const int kind = in.ConsumeIntegralInRange(0, 9);
  if (kind < 5 && !catalog.schemas.empty()) return edit_field(pick(catalog.schemas), in);
  if (kind < 8 && !catalog.tables.empty()) return edit_table(pick(catalog.tables), in);
  if (kind == 8) return edit_list(catalog.schemas, in);
  edit_list(catalog.tables, in);
}

}  // namespace hdb::fuzz
