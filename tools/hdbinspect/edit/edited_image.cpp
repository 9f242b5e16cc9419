// Finds the records of an edit in a row group, and encodes the columns of its field again.
#include "edit/edited_image.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "memory_limit.hpp"

namespace hdb::inspect {
namespace {

// Calls use(index of slot) for each live slot, in order, until it fails.
template <class Use>
Status for_each_live(const RowGroup& rows, const Use& use) {
  for (std::size_t i = 0; i < rows.states.size(); ++i) {
    if (rows.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
    if (Status used = use(i); !used) return used;
  }
  return {};
}

}  // namespace

bool EditedImage::may_be_in(std::size_t table, std::uint64_t group) const {
  if (table != edit_.table) return false;
  return !edit_.is_of_record || edit_.slot >> tables()[table].group_shift == group;
}

Status EditedImage::read_group(std::size_t table, std::uint64_t group, bool with_hash,
                               RowGroup& out) const {
  if (!may_be_in(table, group)) return below_.read_group(table, group, with_hash, out);
  if (Status read = below_.read_group(table, group, false, out); !read) return read;
  const auto found = find(out);
  if (!found) return fail(found.error());
  if (std::find(found->begin(), found->end(), true) != found->end()) {
    has_found_ = true;
    if (Status applied = apply(*found, out); !applied) return applied;
  }
  if (!with_hash) return {};
  auto hash = group_record_hash(schemas()[tables()[table].schema], out);
  if (!hash) return fail(std::move(hash.error()));
  out.record_hash = *hash;
  return {};
}

EntriesPaths EditedImage::made_equal() const {
  const std::lock_guard lock(mutex_);
  EntriesPaths paths;
  std::set_difference(made_equal_.begin(), made_equal_.end(), were_equal_.begin(),
                      were_equal_.end(), std::inserter(paths, paths.end()));
  return paths;
}

// Which slots of a row group the edit changes.
Result<std::vector<bool>> EditedImage::find(const RowGroup& rows) const {
  const TableDescriptor& table = tables()[edit_.table];
  std::vector<bool> found(rows.states.size());
  if (edit_.is_of_record) {
    found[static_cast<std::size_t>(edit_.slot - rows.first_slot)] = true;
    return found;
  }
  if (!edit_.filter) {
    static_cast<void>(for_each_live(rows, [&](std::size_t i) {
      found[i] = true;
      return Status();
    }));
    return found;
  }
  RowDecoder decoder(schemas()[table.schema], edit_.filter->columns(), max_row_values());
  decoder.begin(rows.columns);
  Value row;
  Status read = for_each_live(rows, [&](std::size_t i) -> Status {
    if (Status next = decoder.next(row); !next) return next;
    found[i] = edit_.filter->matches(row, rows.first_slot + i, rows.generations[i]);
    return {};
  });
  if (!read) return fail(std::move(read.error()));
  return found;
}

Status EditedImage::apply(const std::vector<bool>& found, RowGroup& rows) const {
  if (edit_.width != 0 && rows.columns[edit_.column].size() == rows.live_count() * edit_.width) {
    std::byte stored[8];
    store_le(stored, edit_.value->value().bits);
    std::byte* at = rows.columns[edit_.column].data();
    return for_each_live(rows, [&](std::size_t i) {
      if (found[i]) std::memcpy(at, stored, edit_.width);
      at += edit_.width;
      return Status();
    });
  }
  RowDecoder decoder(edit_.part, max_row_values());
  RowEncoder encoder(edit_.part);
  std::vector<Bytes> columns;
  encoder.begin(columns);
  const auto first = rows.columns.begin() + edit_.first_column;
  decoder.begin(std::span<const Bytes>(first, columns.size()));
  Value row;
  Bytes memory;
  const bool compares = has_entries(edit_.part);
  EntriesPaths before;
  EntriesPaths after;
  Status applied = for_each_live(rows, [&](std::size_t i) -> Status {
    Status next = decoder.next(row);
    if (next && compares) add_equal_keys(row, before);
    if (next && found[i]) next = replace_value(row, edit_.path, edit_.value->value(), memory);
    if (next && compares && found[i]) add_equal_keys(row, after);
    if (next) next = encoder.append(row);
    if (next) return {};
    return fail(
        std::move(next.error())
            .in(handle_name(tables()[edit_.table], rows.first_slot + i, rows.generations[i])));
  });
  if (!applied) return applied;
  {
    const std::lock_guard lock(mutex_);
    made_equal_.merge(after);
    were_equal_.merge(before);
  }
  std::move(columns.begin(), columns.end(), first);
  return {};
}

}  // namespace hdb::inspect
