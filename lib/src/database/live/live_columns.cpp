// One field of all records: records become columns in batches, by the code of saves, and of each
// batch one column is kept.
#include <algorithm>
#include <utility>
#include <vector>

#include "database/live/live_records.hpp"
#include "evolve/record_loader.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

constexpr std::size_t kColumnBatchRecords = 1024;

/// Whether every record has the field once: only structures are above it.
bool is_in_structures(const Field& root, const Field& field) noexcept {
  return std::any_of(root.children.begin(), root.children.end(), [&](const Field& child) {
    return &child == &field ||
           (child.kind == FieldKind::structure && is_in_structures(child, field));
  });
}

struct BatchOfRecords {
  std::vector<const void*> records;
  std::vector<std::uint32_t> slots;
  std::vector<std::uint32_t> generations;

  void clear() noexcept {
    records.clear();
    slots.clear();
    generations.clear();
  }
};

}  // namespace

Result<FieldPlace> LiveRecords::find_column(std::string_view path) const {
  auto place = find_field(schema_, path);
  if (!place) return place;
  if (fixed_width(*place->field) != 0 && is_in_structures(schema_, *place->field)) return place;
  return fail(ErrorCode::type_mismatch,
              "'" + escape_text(path) +
                  "' is not a column; columns are fields of fixed size that every record has once");
}

FieldKind LiveRecords::column_kind(const Field& field) noexcept {
  return field.kind == FieldKind::handle ? FieldKind::u64 : leaf_of(field);
}

Result<LiveColumn> LiveRecords::read_column(std::string_view path) const {
  const auto place = find_column(path);
  if (!place) return fail(place.error());
  const Field& field = *place->field;
  LiveColumn result;
  result.kind = column_kind(field);
  const std::size_t stored = fixed_width(field);
  const std::size_t width = field.kind == FieldKind::handle ? 8 : stored;
  const TableCore& core = entry_.core();
  result.values.reserve(static_cast<std::size_t>(core.counters().live_count) * width);
  std::vector<Bytes> columns(columns_.size());
  BatchOfRecords batch;
  const std::uint64_t end = core.end_place();
  for (std::uint64_t at = 0; at < end; ++at) {
    if (core.is_live_place(at)) {
      const auto live = static_cast<std::uint32_t>(at);
      batch.records.push_back(core.record_at(live));
      batch.slots.push_back(core.slot_of_place(live));
      batch.generations.push_back(core.slots().tag(batch.slots.back()));
    }
    if (batch.records.size() != kColumnBatchRecords && at + 1 != end) continue;
    const RecordBatch rows{batch.records, batch.slots, batch.generations, {}};
    if (Status done = entry_.codec->encode(rows, columns, nullptr); !done)
      return fail(std::move(done.error()));
    const Bytes& column = columns[place->first_column];
    for (std::size_t i = 0; i < column.size(); i += stored) {
      const auto value = column.begin() + static_cast<std::ptrdiff_t>(i);
      result.values.insert(result.values.end(), value, value + static_cast<std::ptrdiff_t>(stored));
      result.values.resize(result.values.size() + width - stored);
    }
    batch.clear();
  }
  return result;
}

}  // namespace hdb
