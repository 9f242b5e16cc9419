// Decodes the rows of a row group in the order of their slots.
#include "dump/row_reader.hpp"

#include <utility>

#include "memory_limit.hpp"

namespace hdb::inspect {
namespace {

RowDecoder decoder_for(const Field& root, std::optional<std::span<const std::uint32_t>> columns) {
  const std::uint64_t most = max_row_values();
  return columns ? RowDecoder(root, *columns, most) : RowDecoder(root, most);
}

}  // namespace

RowReader::RowReader(const Reader& reader, std::size_t table,
                     std::optional<std::span<const std::uint32_t>> columns)
    : reader_(reader),
      number_of_table_(table),
      table_(reader.tables()[table]),
      decoder_(decoder_for(reader.schemas()[table_.schema], columns)) {}

Status RowReader::open(std::uint64_t number) {
  const auto& columns = decoder_.needed_columns();
  if (auto read = reader_.read_columns(number_of_table_, number, columns, group_); !read)
    return read;
  decoder_.begin(group_.columns);
  first_slot_ = table_.group_begin(number);
  next_ = 0;
  return {};
}

Result<bool> RowReader::next() {
  while (next_ < group_.states.size()) {
    index_ = next_++;
    if (group_.states[index_] != static_cast<std::uint8_t>(SlotState::live)) continue;
    if (auto read = decoder_.next(row_); !read) return fail(std::move(read.error()).in(handle()));
    return true;
  }
  return false;
}

}  // namespace hdb::inspect
