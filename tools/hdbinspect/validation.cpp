// Full validation: blocks first, then tables, then what only the whole shows.
#include "validation.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "describe.hpp"
#include "hdb/format/check.hpp"
#include "hdb/schema/constants.hpp"
#include "input.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

bool is_damage(const Error& error) noexcept {
  return category_of(error.code) == ErrorCategory::corrupt;
}

class Validator {
 public:
  Validator(const Reader& reader, std::size_t max_findings, Validation& result)
      : reader_(reader), max_findings_(max_findings), result_(result) {}

  void run() {
    for (std::size_t i = 0; i < reader_.blocks().size() && !done(); ++i) check_block(i);
    for (std::size_t i = 0; i < reader_.tables().size() && !done(); ++i) check_table(i);
    if (!done() && result_.findings.empty()) check_state_hash();
    tell_effects();
  }

 private:
  [[nodiscard]] bool done() const noexcept {
    return result_.trouble.has_value() || result_.stopped_early;
  }

  // Adds a finding; errors that say nothing of the file (I/O, limits) end the work instead.
  void report(Error error, std::uint64_t bytes, std::uint64_t lost_records) {
    if (!is_damage(error)) {
      result_.trouble = std::move(error);
      return;
    }
    if (result_.findings.size() == max_findings_) {
      result_.stopped_early = true;
      return;
    }
    lost_.push_back(lost_records);
    result_.findings.push_back({std::move(error), bytes, {}, {}});
  }

  void check_block(std::size_t index) {
    auto checked = reader_.check_block(index);
    if (checked) return;
    const BlockInfo& block = reader_.blocks()[index];
    bad_blocks_.insert(index);
    Error error = std::move(checked.error());
    error.where = block_place(reader_, block);
    if (error.offset == kNoOffset) error.offset = block.offset;
    report(std::move(error), block.total_bytes, records_in(block));
  }

  [[nodiscard]] std::uint64_t records_in(const BlockInfo& block) const {
    if (static_cast<format::BlockType>(block.type) != format::BlockType::rows) return 0;
    if (block.table >= reader_.tables().size()) return 0;
    const TableDescriptor& table = reader_.tables()[block.table];
    return std::min(table.group_end(block.group) - table.group_begin(block.group),
                    table.live_count);
  }

  [[nodiscard]] bool is_bad(std::size_t table, std::optional<std::uint64_t> group) const {
    return std::any_of(bad_blocks_.begin(), bad_blocks_.end(), [&](std::size_t index) {
      const BlockInfo& block = reader_.blocks()[index];
      if (!belongs_to_table(block.type) || block.table != table) return false;
      const bool rows = static_cast<format::BlockType>(block.type) == format::BlockType::rows;
      return group ? rows && block.group == *group : !rows;
    });
  }

  void check_table(std::size_t index) {
    const TableDescriptor& table = reader_.tables()[index];
    const std::string place = fmt::format("table {}", table.name);
    SlotChecker slots(table);
    TableHashes hashes;
    order_.assign(
        table.policy.storage == Storage::dense ? static_cast<std::size_t>(table.live_count) : 0, 0);
    bool sound = true;
    for (std::uint64_t group = 0; group < table.group_count(); ++group) {
      if (done()) return;
      if (is_bad(index, group)) {
        sound = false;
      } else if (auto checked = check_group(index, group, slots, hashes); !checked) {
        sound = false;
        Error error = std::move(checked.error());
        if (error.where.empty()) error.where = fmt::format("{} > group {}", place, group);
        report(std::move(error), 0, table.group_end(group) - table.group_begin(group));
      }
    }
    const bool list_is_bad = is_bad(index, std::nullopt);
    if (auto checked = list_is_bad ? Status() : check_free_list(index, slots, hashes); !checked) {
      sound = false;
      Error error = std::move(checked.error());
      if (error.where.empty()) error.where = place + " > free list";
      report(std::move(error), 0, 0);
    }
    if (!sound || list_is_bad) return;  // what only the whole table shows would be noise
    if (auto finished = slots.finish(); !finished) {
      Error error = std::move(finished.error());
      if (error.where.empty()) error.where = place;
      report(std::move(error), 0, 0);
      return;
    }
    if (table.policy.storage == Storage::dense) hashes.dense_order = hash_of(order_);
    hashes_.push_back(hashes);
  }

  Status check_group(std::size_t index, std::uint64_t number, SlotChecker& slots,
                     TableHashes& hashes) {
    const TableDescriptor& table = reader_.tables()[index];
    if (auto read = reader_.read_group(index, number, group_); !read) return read;
    if (auto checked = check_group_slots(table, number, group_); !checked) return checked;
    if (auto added = slots.add_group(number, group_); !added) return added;
    auto hash = group_record_hash(reader_.schemas()[table.schema], group_);
    if (!hash) return fail(std::move(hash.error()));
    hashes.records += *hash;
    std::size_t live = 0;
    for (std::size_t i = 0; i < group_.states.size() && !group_.positions.empty(); ++i) {
      if (group_.states[i] != static_cast<std::uint8_t>(SlotState::live)) continue;
      const std::size_t position = group_.positions[live++];
      if (position < order_.size())
        order_[position] = static_cast<std::uint32_t>(table.group_begin(number) + i);
    }
    return {};
  }

  Status check_free_list(std::size_t index, SlotChecker& slots, TableHashes& hashes) {
    auto list = reader_.read_free_list(index);
    if (!list) return fail(std::move(list.error()));
    hashes.free_list = hash_of(*list);
    return slots.add_free(*list);
  }

  // The hash over slot numbers as little-endian u32.
  static Hash128 hash_of(const std::vector<std::uint32_t>& slots) {
    Hasher128 hasher;
    Bytes piece;
    for (std::size_t first = 0; first < slots.size(); first += kPiece) {
      const std::size_t count = std::min(kPiece, slots.size() - first);
      piece.resize(count * 4);
      for (std::size_t i = 0; i < count; ++i) store_le(piece.data() + i * 4, slots[first + i]);
      hasher.update(piece);
    }
    return hasher.digest();
  }

  void check_state_hash() {
    const Hash128 computed = combine_state_hash(reader_.schemas(), reader_.tables(), hashes_);
    const Hash128 stored = reader_.info().state_hash;
    if (computed == stored) return;
    report({ErrorCode::state_hash_mismatch,
            fmt::format("stored {}, computed {}", stored.hex(), computed.hex()),
            kNoOffset,
            "footer",
            {}},
           0, 0);
  }

  // Effects tell how many blocks are sound, which is known only at the end.
  void tell_effects() {
    const std::size_t blocks = reader_.blocks().size();
    for (std::size_t i = 0; i < result_.findings.size(); ++i) {
      Finding& finding = result_.findings[i];
      finding.effect =
          lost_[i] != 0 ? fmt::format("at most {} records unreadable; ", lost_[i]) : std::string();
      finding.effect += fmt::format("{} of {} blocks sound", blocks - bad_blocks_.size(), blocks);
    }
  }

  static constexpr std::size_t kPiece = 16384;

  const Reader& reader_;
  std::size_t max_findings_;
  Validation& result_;
  std::set<std::size_t> bad_blocks_;
  std::vector<std::uint64_t> lost_;  // of each finding: records
  std::vector<TableHashes> hashes_;
  std::vector<std::uint32_t> order_;
  RowGroup group_;
};

}  // namespace

Validation validate_file(const std::string& path, bool full, std::size_t max_findings) {
  Validation result;
  ReadOptions options;
  options.verify_raw_hashes = full;
  auto reader = open_reader(path, options);
  if (!reader) {
    if (is_damage(reader.error())) {
      result.findings.push_back({reader.error(), 0, "the file cannot be opened", {}});
    } else {
      result.trouble = reader.error();
    }
  } else {
    result.opened = true;
    result.tables = (*reader)->tables().size();
    for (const TableDescriptor& table : (*reader)->tables()) result.records += table.live_count;
    result.blocks = (*reader)->blocks().size();
    result.state_hash = (*reader)->info().state_hash;
    if (full) Validator(**reader, max_findings, result).run();
  }
  for (Finding& finding : result.findings) finding.next = code_next_step(finding.error.code);
  if (!result.findings.empty()) result.status = ExitStatus::finding;
  if (result.trouble) {
    *result.trouble = with_file(*result.trouble, path);
    result.status = worse(result.status, status_of(*result.trouble));
  }
  return result;
}

}  // namespace hdb::inspect
