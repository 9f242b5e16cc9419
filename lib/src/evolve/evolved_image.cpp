// Changes row groups on their way from an old image.
#include "evolve/evolved_image.hpp"

#include <utility>

#include "hdb/bytes.hpp"

namespace hdb::detail::evolve {
namespace {

std::string quoted(const TableDescriptor& table) { return "table '" + table.name + "'"; }

// How many lengths are not 0. Requires: the column has passed the grammar.
std::uint64_t count_texts(const Bytes& lengths) {
  std::uint64_t count = 0;
  std::uint64_t length = 0;
  const std::byte* const end = lengths.data() + lengths.size();
  for (const std::byte* at = lengths.data(); at != end;) {
    at = load_varint(at, end, length);
    if (at == nullptr) break;
    count += length != 0 ? 1 : 0;
  }
  return count;
}

}  // namespace

EvolvedImage::EvolvedImage(const ImageSource& old)
    : LoadImage(old), tables_(old.tables()), changes_(tables_.size()) {}

Status EvolvedImage::evolve(std::size_t table, const TablePolicy& own, const LayoutOf& layout_of) {
  TableDescriptor& descriptor = tables_[table];
  Change& change = changes_[table];
  if (PolicyConversion::are_needed(descriptor.policy, own)) {
    auto slots = PolicyConversion::read(below_, table, own);
    if (!slots) return fail(std::move(slots.error()).in(quoted(descriptor)));
    change.slots = *std::move(slots);
    descriptor = change.slots->table();
  }
  const RecordNames stored_names = below_.tables()[table].policy.names;
  change.drops_names = stored_names != RecordNames::none && own.names == RecordNames::none;
  descriptor.policy = own;
  if (stored_names == RecordNames::none) descriptor.policy.names = RecordNames::none;
  const Field& old_schema = schemas()[descriptor.schema];
  if (!change.drops_names && has_own_layouts(old_schema, layout_of)) return {};
  Field schema = old_schema;
  if (change.drops_names) schema.children.erase(schema.children.begin());
  const auto fields = adapt_handles(schema, layout_of);
  if (!fields.empty()) {
    change.handles.emplace(fields);
    change.has_cleared.resize(static_cast<std::size_t>(descriptor.group_count()));
  }
  if (fields.empty() && !change.drops_names) return {};
  if (schemas_.empty()) schemas_ = below_.schemas();
  descriptor.schema = static_cast<std::uint32_t>(schemas_.size());
  schemas_.push_back(std::move(schema));
  return {};
}

void EvolvedImage::resolve(const std::vector<MovedTable>& moved) {
  for (Change& change : changes_) {
    if (!change.handles) continue;
    change.handles->resolve(moved);
    if (change.handles->empty()) change.handles.reset();
  }
}

std::vector<LoadChange> EvolvedImage::changes(std::size_t table) const {
  const Change& change = changes_[table];
  std::vector<LoadChange> changes;
  if (change.handles) changes = change.handles->changes();
  if (change.dropped_names != 0) {
    changes.insert(changes.begin(),
                   {LoadChange::Kind::dropped, "@name", {}, {}, change.dropped_names});
  }
  return changes;
}

Status EvolvedImage::read_group(std::size_t table, std::uint64_t group, bool with_hash,
                                RowGroup& out) const {
  const Change& change = changes_[table];
  const bool is_same = change.is_none();
  if (auto read = below_.read_group(table, group, with_hash && is_same, out); !read || is_same)
    return read;
  if (auto applied = apply(change, group, out); !applied) {
    return fail(std::move(applied.error())
                    .in("group " + std::to_string(group) + " of " + quoted(tables_[table])));
  }
  if (!with_hash) return {};
  auto hash = group_record_hash(schemas()[tables_[table].schema], out);
  if (!hash) return fail(std::move(hash.error()));
  out.record_hash = *hash;
  return {};
}

Status EvolvedImage::apply(const Change& change, std::uint64_t group, RowGroup& rows) {
  if (change.slots) change.slots->change(group, rows);
  if (change.drops_names) {
    change.dropped_names += count_texts(rows.columns[0]);
    rows.columns.erase(rows.columns.begin(), rows.columns.begin() + 2);  // lengths and bytes
  }
  if (!change.handles) return {};
  const auto has_cleared = change.handles->translate(rows);
  if (!has_cleared) return fail(has_cleared.error());
  change.has_cleared[static_cast<std::size_t>(group)] = *has_cleared ? 1 : 0;
  return {};
}

Status EvolvedImage::read_free_list(std::size_t table, std::uint64_t first,
                                    std::span<std::uint32_t> out) const {
  const Change& change = changes_[table];
  return change.slots ? copy_free_list(change.slots->free_list(), first, out)
                      : below_.read_free_list(table, first, out);
}

bool EvolvedImage::has_cleared_handles(std::size_t table, std::uint64_t group) const {
  const Change& change = changes_[table];
  return change.handles && change.has_cleared[static_cast<std::size_t>(group)] != 0;
}

}  // namespace hdb::detail::evolve
