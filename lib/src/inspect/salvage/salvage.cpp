// salvage(): finds, surveys, judges, settles.
#include "hdb/inspect/salvage.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "inspect/salvage/salvaged_image.hpp"

namespace hdb {
namespace {

using salvaging::GroupSource;
using salvaging::ReferenceJudge;
using salvaging::Salvaged;
using salvaging::SalvagedTable;

// What a slot takes in SalvagedTable, generously.
constexpr std::uint64_t kBytesPerSlot = 17;

// A catalog may claim any number of slots, because their groups may be lost.
Status check_slot_memory(const format::DamagedFile& file, const ReadLimits& limits) {
  constexpr std::uint64_t kAlways = std::uint64_t{1} << 30;
  constexpr std::uint64_t kPerFileByte = 64;
  const std::uint64_t most =
      std::min(limits.max_memory_bytes, kAlways + kPerFileByte * file.file_bytes());
  std::uint64_t slots = 0;
  for (const TableDescriptor& table : file.tables()) slots += table.slot_count;
  if (slots <= most / kBytesPerSlot) return {};
  return fail(ErrorCode::memory_budget,
              std::to_string(slots) + " slots in all tables are too many to salvage; at most " +
                  std::to_string(most / kBytesPerSlot) + " fit the memory budget",
              "salvage");
}

// Blocks that only a lost directory listed cannot be identified.
void report_unexplained(const format::DamagedFile& file, Salvage& result) {
  const std::uint64_t bytes = file.unexplained_bytes();
  if (bytes == 0 || result.has_loss()) return;  // which explains them
  result.faults.push_back(
      {error_at(kNoOffset, ErrorCode::bad_geometry,
                std::to_string(bytes) + " bytes between the blocks belong to no block", "file"),
       "a thumbnail or a block of an unknown type may be lost", true});
}

}  // namespace

std::string_view cause_name(LossCause cause) noexcept {
  switch (cause) {
    case LossCause::damaged_group: return "damaged_group";
    case LossCause::missing_group: return "missing_group";
    case LossCause::name_taken: return "name_taken";
    case LossCause::place_taken: return "place_taken";
    case LossCause::lost_reference: return "lost_reference";
    case LossCause::lost_owner: return "lost_owner";
  }
  return "";
}

std::uint64_t LostField::defaulted() const noexcept {
  return std::accumulate(
      taken.begin(), taken.end(), records,
      [](std::uint64_t left, const TakenValues& from) { return left - from.values; });
}

bool TableSalvage::has_loss() const noexcept {
  return records_before != records_after || records_clashed != 0 || records_dropped != 0 ||
         records_orphaned != 0 || !lost_groups.empty() || !lost_fields.empty() ||
         !free_list_faults.empty() || references_nulled != 0 || references_kept != 0;
}

bool Salvage::has_loss() const noexcept {
  return std::any_of(faults.begin(), faults.end(),
                     [](const FrameFault& fault) { return fault.is_loss; }) ||
         std::any_of(tables.begin(), tables.end(),
                     [](const TableSalvage& table) { return table.has_loss(); });
}

Result<Salvage> salvage(std::unique_ptr<ByteSource> source, const SalvageOptions& options,
                        std::vector<Neighbour> neighbours) {
  auto file = format::DamagedFile::open(std::move(source), options.limits);
  if (!file) return fail(std::move(file.error()));
  if (Status status = check_slot_memory(**file, options.limits); !status)
    return fail(std::move(status.error()));
  auto salvaged = std::make_unique<Salvaged>();
  salvaged->file = *std::move(file);
  salvaged->options = options;
  salvaged->groups = std::make_unique<GroupSource>(*salvaged->file, salvaged->options);
  Salvage result;
  for (Neighbour& neighbour : neighbours) {
    if (Status status = salvaged->groups->add(std::move(neighbour)); !status)
      result.unusable_neighbours.push_back(std::move(status.error()));
  }
  for (std::size_t i = 0; i < salvaged->file->tables().size(); ++i) {
    auto table =
        std::make_unique<SalvagedTable>(*salvaged->file, *salvaged->groups, i, salvaged->options);
    if (Status status = table->survey(); !status) return fail(std::move(status.error()));
    salvaged->tables.push_back(std::move(table));
  }
  for (const auto& table : salvaged->tables) {
    if (!table->stored().policy.is_component) continue;
    for (const auto& owner : salvaged->tables) {  // the catalog has it
      if (owner->stored().name == table->stored().owner) table->lose_orphans(*owner);
    }
  }
  salvaged->references = std::make_unique<ReferenceJudge>(*salvaged->file, *salvaged->groups,
                                                          salvaged->options, salvaged->tables);
  if (Status status = salvaged->references->run(); !status) return fail(std::move(status.error()));
  result.faults = salvaged->file->faults();
  const std::vector<FrameFault>& restored = salvaged->groups->restored();
  result.faults.insert(result.faults.end(), restored.begin(), restored.end());
  result.stored_state_hash = salvaged->file->state_hash();
  for (const auto& table : salvaged->tables) {
    table->settle();
    const bool is_empty = table->stored().singleton && table->descriptor().live_count == 0;
    table->report.is_left_out = is_empty && table->report.has_loss();
    result.tables.push_back(table->report);
  }
  salvaged->database = salvaged->file->database();
  if (result.has_loss()) {
    result.extensions_dropped =
        std::erase_if(salvaged->database.extensions, [](const Extension& extension) {
          return (extension.flags & format::kExtensionSafeToCopy) == 0;
        });
  }
  report_unexplained(*salvaged->file, result);
  result.image = salvaging::image_of_salvaged(std::move(salvaged));
  return result;
}

}  // namespace hdb
