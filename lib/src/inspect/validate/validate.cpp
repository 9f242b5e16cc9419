// Full validation: blocks first, then tables, then what only the whole shows.
#include "hdb/inspect/validate.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "format/frame/frame.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/text.hpp"
#include "inspect/validate/sound_tables.hpp"

namespace hdb {
namespace {

std::string counted(std::uint64_t count, const char* noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

bool is_damage(const Error& error) noexcept {
  return category_of(error.code) == ErrorCategory::corrupt;
}

class Validator {
 public:
  Validator(const Reader& reader, const ValidationOptions& options, Validation& result)
      : reader_(reader),
        options_(options),
        result_(result),
        deep_(options.level == ValidationLevel::deep) {}

  void run() {
    for (const Error& fault : reader_.open_faults()) report_copy(fault);
    sound_ = find_sound_tables(reader_, options_.threads, deep_);
    for (std::size_t i = 0; i < reader_.blocks().size() && !done(); ++i) check_block(i);
    for (std::size_t i = 0; i < reader_.tables().size() && !done(); ++i) {
      if (sound_[i]) {
        hashes_.push_back(*sound_[i]);
      } else {
        check_table(i);
      }
    }
    if (!done()) check_components();
    const bool is_sound = !done() && hashes_.size() == reader_.tables().size();
    if (is_sound && deep_) check_state_hash();
    if (is_sound && deep_) check_references();
    report_effects();
  }

 private:
  [[nodiscard]] bool done() const noexcept {
    return result_.trouble.has_value() || result_.stopped_early;
  }

  // Records that cannot be read because of a finding: none, so many, or at most so many.
  struct Loss {
    std::uint64_t records = 0;
    bool exact = true;
    std::string_view text = {};  // What it costs besides records.
  };

  // Adds a finding; errors that say nothing of the file (I/O, limits) end the work instead.
  void report(Error error, std::uint64_t bytes, Loss loss) {
    if (!is_damage(error)) {
      result_.trouble = std::move(error);
      return;
    }
    if (result_.findings.size() == options_.max_findings) {
      result_.stopped_early = true;
      return;
    }
    lost_.push_back(loss);
    result_.findings.push_back({std::move(error), bytes, {}});
  }

  // Damaged metadata, or one catalog of two.
  void report_copy(const Error& fault) {
    Error error = fault;
    std::uint64_t bytes = 0;
    Loss loss;
    for (std::size_t i = 0; i < reader_.blocks().size(); ++i) {
      const BlockInfo& block = reader_.blocks()[i];
      if (error.offset < block.offset || error.offset - block.offset >= block.total_bytes) continue;
      bad_blocks_.insert(i);
      if (error.code == ErrorCode::block_checksum) {
        error.offset = block.offset;
        bytes = block.total_bytes;
      }
      loss.text = static_cast<format::BlockType>(block.type) == format::BlockType::catalog
                      ? "the other copy of the catalog is sound; "
                      : "title, date and play time cannot be read; ";
      break;
    }
    report(std::move(error), bytes, loss);
  }

  void check_block(std::size_t index) {
    if (bad_blocks_.contains(index)) return;  // already reported
    const BlockInfo& block = reader_.blocks()[index];
    const std::vector<std::uint32_t> tables = reader_.tables_in(index);
    const auto is_sound = [&](std::uint32_t table) { return sound_[table].has_value(); };
    const bool has_extensions = block.extension_bytes != 0;
    if (!has_extensions && !tables.empty() && std::all_of(tables.begin(), tables.end(), is_sound))
      return;
    auto checked = reader_.check_block(index);
    if (checked) return;
    bad_blocks_.insert(index);
    Error error = std::move(checked.error());
    const std::string place = block_place(reader_, block);
    const Loss loss = is_damage(error) ? records_in(block) : Loss{};
    // The index may still show which columns are damaged.
    const auto damaged = reader_.damaged_chunks(index);
    if (error.code == ErrorCode::block_checksum && damaged && !damaged->empty()) {
      for (const DamagedChunk& found : *damaged) {
        report(error_at(found.chunk.offset, ErrorCode::block_checksum,
                        "the hash does not match: stored " + hex_number(found.stored_hash, 16) +
                            ", computed " + hex_number(found.computed_hash, 16),
                        place + chunk_place(reader_, block, found.chunk)),
               found.chunk.stored_bytes, loss);
        if (done()) return;
      }
      return;
    }
    error.where = place;
    if (error.code == ErrorCode::block_checksum && !damaged) error.where += " > column index";
    error.offset = block.offset;
    report(std::move(error), block.total_bytes, loss);
  }

  // The live records of a row group, counted where its slots are sound, or of a pack.
  [[nodiscard]] Loss records_in(const BlockInfo& block) {
    if (static_cast<format::BlockType>(block.type) == format::BlockType::pack) {
      Loss loss;
      for (const std::uint32_t table : reader_.tables_in(index_of(block)))
        loss.records += reader_.tables()[table].live_count;
      return loss;
    }
    if (static_cast<format::BlockType>(block.type) != format::BlockType::rows) return {};
    if (block.table >= reader_.tables().size()) return {};
    if (reader_.read_columns(block.table, block.group, {}, group_)) {
      return {group_.live_count(), true};
    }
    const TableDescriptor& table = reader_.tables()[block.table];
    return {
        std::min(table.group_end(block.group) - table.group_begin(block.group), table.live_count),
        false};
  }

  [[nodiscard]] bool is_bad(std::size_t table, std::optional<std::uint64_t> group) const {
    return std::any_of(bad_blocks_.begin(), bad_blocks_.end(), [&](std::size_t index) {
      return is_of(reader_.blocks()[index], table, group);
    });
  }

  [[nodiscard]] std::size_t index_of(const BlockInfo& block) const noexcept {
    return static_cast<std::size_t>(&block - reader_.blocks().data());
  }

  // Whether a block is of this row group, or of the free list where no group is given. A pack is of
  // both.
  [[nodiscard]] bool is_of(const BlockInfo& block, std::size_t table,
                           std::optional<std::uint64_t> group) const {
    const std::vector<std::uint32_t> tables = reader_.tables_in(index_of(block));
    if (!std::binary_search(tables.begin(), tables.end(), table)) return false;
    if (static_cast<format::BlockType>(block.type) == format::BlockType::pack) return true;
    const bool rows = static_cast<format::BlockType>(block.type) == format::BlockType::rows;
    return group ? rows && block.group == *group : !rows;
  }

  [[nodiscard]] std::uint64_t offset_of_group(std::size_t table, std::uint64_t group) const {
    const auto& blocks = reader_.blocks();
    const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const BlockInfo& block) {
      return is_of(block, table, group);
    });
    return found == blocks.end() ? kNoOffset : found->offset;
  }

  // Reports what is wrong in a row group, or in a free list where no group is given: the block that
  // the error lies in (else the first) is counted as damaged.
  void report_in(std::size_t table, std::optional<std::uint64_t> group, Error error) {
    const auto& blocks = reader_.blocks();
    std::optional<std::size_t> bad;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (!is_of(blocks[i], table, group)) continue;
      const bool holds = error.offset != kNoOffset && error.offset >= blocks[i].offset &&
                         error.offset - blocks[i].offset < blocks[i].total_bytes;
      if (!bad || holds) bad = i;
    }
    if (!bad) return report_in_catalog(table, std::move(error));
    const BlockInfo& block = blocks[*bad];
    const TableDescriptor& descriptor = reader_.tables()[table];
    const std::string own = (group ? "group " + std::to_string(*group) : std::string("free list")) +
                            " of table '" + descriptor.name + "'";
    const bool packed = static_cast<format::BlockType>(block.type) == format::BlockType::pack;
    error.where = (packed ? group_place(reader_, table, 0) : block_place(reader_, block)) +
                  inner_place(error.where, own);
    if (error.offset == kNoOffset) error.offset = block.offset;
    const Loss loss = is_damage(error) ? records_in(block) : Loss{};
    if (is_damage(error)) bad_blocks_.insert(*bad);
    report(std::move(error), 0, loss);
  }

  // "column 'x' of group 3 of table 't'" without its outer places: " > column 'x'".
  static std::string inner_place(std::string where, const std::string& outer) {
    if (where == outer) return {};
    if (where.ends_with(" of " + outer)) where.erase(where.size() - outer.size() - 4);
    return where.empty() ? where : " > " + where;
  }

  // Reports what contradicts a table's descriptor as a whole.
  void report_in_catalog(std::size_t table, Error error) {
    if (error.where.empty()) error.where = "table " + reader_.tables()[table].name;
    for (const BlockInfo& block : reader_.blocks()) {
      if (error.offset != kNoOffset) break;
      if (static_cast<format::BlockType>(block.type) == format::BlockType::catalog)
        error.offset = block.offset;
    }
    report(std::move(error), 0, {});
  }

  void check_table(std::size_t index) {
    const TableDescriptor& table = reader_.tables()[index];
    SlotChecker slots(table);
    TableHashes hashes;
    bool sound = true;
    for (std::uint64_t group = 0; group < table.group_count(); ++group) {
      if (done()) return;
      if (is_bad(index, group)) {
        sound = false;
      } else if (auto checked = check_group(index, group, slots, hashes); !checked) {
        sound = false;
        report_in(index, group, std::move(checked.error()));
      }
    }
    if (done()) return;
    if (is_bad(index, std::nullopt)) {
      sound = false;
    } else if (auto checked = check_free_list(index, slots, hashes); !checked) {
      sound = false;
      report_in(index, std::nullopt, std::move(checked.error()));
    }
    if (!sound) return;  // what only the whole table shows would be noise
    if (auto finished = slots.finish(); !finished) {
      if (finished.error().code == ErrorCode::bad_free_list) {
        return report_in(index, std::nullopt, std::move(finished.error()));
      }
      return report_in_catalog(index, std::move(finished.error()));
    }
    hashes_.push_back(hashes);
  }

  Status check_group(std::size_t index, std::uint64_t number, SlotChecker& slots,
                     TableHashes& hashes) {
    if (auto read = reader_.read_group_hash(index, number, group_); !read) return read;
    if (auto added = slots.add_group(number, group_); !added) return added;
    hashes.records += *group_.record_hash;
    return {};
  }

  Status check_free_list(std::size_t index, SlotChecker& slots, TableHashes& hashes) {
    auto list = reader_.read_free_list(index);
    if (!list) return fail(std::move(list.error()));
    if (auto added = slots.add_free(*list); !added) return added;
    FreeListHash hash(reader_.tables()[index]);
    hash.add(*list);
    hashes.free_list = hash.sum();
    return {};
  }

  // Components without a record. What cannot be read is reported elsewhere.
  void check_components() {
    ComponentChecker components(reader_.tables());
    for (std::size_t i = 0; i < reader_.tables().size(); ++i) {
      if (!components.needs(i)) continue;
      for (std::uint64_t group = 0; group < reader_.tables()[i].group_count(); ++group) {
        if (reader_.read_columns(i, group, {}, group_)) components.add_group(i, group, group_);
      }
    }
    for (std::size_t i = 0; i < reader_.tables().size() && !done(); ++i) {
      const auto orphan = components.find_orphan(i);
      if (!orphan) continue;
      Error error = components.error_of(i, *orphan);
      error.offset = offset_of_group(i, *orphan >> reader_.tables()[i].group_shift);
      report(std::move(error), 0, {});
    }
  }

  void check_state_hash() {
    const Hash128 computed =
        combine_state_hash(reader_.schemas(), reader_.tables(), hashes_, reader_.database());
    result_.state_hash = computed;
    if (Status same = hdb::check_state_hash(reader_.info(), computed); !same)
      report(std::move(same.error()), sizeof(Hash128), {});
  }

  // Whatever the program does with strong handles counts on their records being there.
  void check_references() {
    auto counts = count_references(reader_);
    if (!counts) return report(std::move(counts.error()), 0, {});
    result_.references = *std::move(counts);
    for (const ReferenceCount& count : result_.references) {
      if (done()) return;
      if (!count.strong || count.stale == 0) continue;
      const TableDescriptor& table = reader_.tables()[count.table];
      const std::uint64_t group = count.first_stale_slot >> table.group_shift;
      report(error_at(offset_of_group(count.table, group), ErrorCode::dangling_strong,
                      counted(count.stale, "strong handle") + (count.stale == 1 ? " does" : " do") +
                          " not name a live record; the first is " + count.first_stale,
                      "table " + table.name + " > field " + count.path),
             0, {});
    }
  }

  // Effects state the number of sound blocks, which is known only at the end.
  void report_effects() {
    const std::size_t blocks = reader_.blocks().size();
    for (std::size_t i = 0; i < result_.findings.size(); ++i) {
      Finding& finding = result_.findings[i];
      const Loss& loss = lost_[i];
      finding.effect = loss.text;
      if (loss.records != 0) {
        finding.effect =
            (loss.exact ? "" : "at most ") + counted(loss.records, "record") + " cannot be read; ";
      }
      finding.effect += std::to_string(blocks - bad_blocks_.size()) + " of " +
                        counted(blocks, "block") + (blocks == 1 ? " is sound" : " are sound");
    }
  }

  const Reader& reader_;
  const ValidationOptions& options_;
  Validation& result_;
  const bool deep_;
  std::set<std::size_t> bad_blocks_;
  std::vector<Loss> lost_;  // of each finding
  std::vector<TableHashes> hashes_;
  std::vector<std::optional<TableHashes>> sound_;  // by table, as the first look found them
  RowGroup group_;
};

}  // namespace

Validation validate(std::unique_ptr<ByteSource> source, const ValidationOptions& options) {
  Validation result;
  const bool whole = options.level != ValidationLevel::quick;
  ReadOptions read;
  read.limits = options.limits;
  read.verify_raw_hashes = whole;
  read.accept_damaged_copies = whole;
  auto reader = Reader::open(std::move(source), read);
  if (!reader) {
    if (is_damage(reader.error())) {
      result.findings.push_back({reader.error(), 0, "the file cannot be opened"});
    } else {
      result.trouble = reader.error();
    }
    return result;
  }
  result.reader = *std::move(reader);
  result.tables = result.reader->tables().size();
  for (const TableDescriptor& table : result.reader->tables()) {
    result.records += table.live_count;
    result.table_names.push_back(table.name);
  }
  result.blocks = result.reader->blocks().size();
  if (whole) Validator(*result.reader, options, result).run();
  return result;
}

}  // namespace hdb
