// Groups out and in as they lie in memory: the file does not outlive the program.
#include "exact/spooled_image.hpp"

#include <utility>

#include "hdb/inspect/checks.hpp"

namespace hdb::inspect {

Result<std::unique_ptr<SpooledImage>> SpooledImage::create() {
  auto spool = Spool::create("keeping the records in a temporary file");
  if (!spool) return fail(std::move(spool.error()));
  return std::unique_ptr<SpooledImage>(new SpooledImage(std::move(*spool)));
}

void SpooledImage::add_table(TableDescriptor table) {
  tables_.push_back(std::move(table));
  contents_.emplace_back();
}

Status SpooledImage::add_group(std::size_t table, const RowGroup& group) {
  SpooledGroup place;
  place.offset = spool_->size().value();
  place.slots = static_cast<std::uint32_t>(group.states.size());
  place.positions = static_cast<std::uint32_t>(group.positions.size());
  Status status = spool_->write(std::as_bytes(std::span(group.states)));
  if (status) status = spool_->write(std::as_bytes(std::span(group.generations)));
  if (status) status = spool_->write(std::as_bytes(std::span(group.positions)));
  for (const Bytes& column : group.columns) {
    if (status) status = spool_->write(column);
    place.column_bytes.push_back(column.size());
  }
  if (status) contents_[table].groups.push_back(std::move(place));
  return status;
}

void SpooledImage::add_free(std::size_t table, std::span<const std::uint32_t> slots) {
  std::vector<std::uint32_t>& list = contents_[table].free_list;
  list.insert(list.end(), slots.begin(), slots.end());
}

Status SpooledImage::read_part(std::uint64_t& offset, std::span<std::byte> out) const {
  const std::uint64_t from = std::exchange(offset, offset + out.size());
  return spool_->read_at(from, out);
}

Status SpooledImage::read_slot_columns(const SpooledGroup& place, std::uint64_t& offset,
                                       RowGroup& out) const {
  out.states.resize(place.slots);
  out.generations.resize(place.slots);
  out.positions.resize(place.positions);
  Status status = read_part(offset, std::as_writable_bytes(std::span(out.states)));
  if (status) status = read_part(offset, std::as_writable_bytes(std::span(out.generations)));
  if (status) status = read_part(offset, std::as_writable_bytes(std::span(out.positions)));
  return status;
}

Status SpooledImage::read_group(std::size_t table, std::uint64_t group, bool, RowGroup& out) const {
  const SpooledGroup& place = contents_[table].groups[static_cast<std::size_t>(group)];
  std::uint64_t offset = place.offset;
  out.first_slot = tables_[table].group_begin(group);
  out.columns.resize(place.column_bytes.size());
  out.record_hash.reset();
  Status status = read_slot_columns(place, offset, out);
  for (std::size_t i = 0; i < out.columns.size() && status; ++i) {
    out.columns[i].resize(static_cast<std::size_t>(place.column_bytes[i]));
    status = read_part(offset, out.columns[i]);
  }
  return status;
}

Status SpooledImage::read_free_list(std::size_t table, std::uint64_t first,
                                    std::span<std::uint32_t> out) const {
  return copy_free_list(contents_[table].free_list, first, out);
}

}  // namespace hdb::inspect
