// Saves what can be saved of a damaged file, and tells what could not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/inspect/image.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// What becomes of handles that name lost records.
enum class LostReferences : std::uint8_t {
  null,  ///< They become null, and are told.
  /// They stay and name nothing. If a strong handle is among them, `validate --level=deep` fails.
  keep,
  drop,  ///< Records that hold strong ones are lost too, and so on; the others become null.
};

/// Why a record is lost.
enum class LossCause : std::uint8_t {
  damaged_group,  ///< A block of its row group is damaged.
  missing_group,  ///< No block of its row group was found.
  name_taken,     ///< Another record of the table has its name: the file contradicts itself.
  place_taken,    ///< Another block of the blob table has its bytes, or they are out of the buffer.
  lost_reference,  ///< It holds a strong handle of a lost record (LostReferences::drop).
};
/// "damaged_group" and so on.
[[nodiscard]] std::string_view cause_name(LossCause cause) noexcept;

/// A slot whose record is lost, or may be.
struct LostSlot {
  std::size_t table = 0;             ///< Its number in the damaged file.
  std::string_view table_name = {};  ///< Good during the call.
  std::uint64_t slot = 0;
  std::optional<std::uint32_t> generation;  ///< Where the slots of the group are sound.
  bool is_certain =
      true;  ///< It held a record. Else nothing tells whether it was live, free or retired.
  LossCause cause = LossCause::damaged_group;
  std::uint64_t offset = kNoOffset;  ///< Of the damage, where it has a place.
};

/// A handle that names a lost record; or a strong one that named none already.
struct LostReference {
  std::size_t table = 0;             ///< Of the record that holds it.
  std::string_view table_name = {};  ///< Good during the call.
  std::uint64_t slot = 0;
  std::uint32_t generation = 0;
  std::string path;  ///< Where it stands: "target", "grudges[3]"; escaped for a terminal.
  std::string name;  ///< What it named: "things:9@2"; not escaped.
  bool is_strong = false;
  bool is_nulled = false;  ///< Else it was kept.
};

struct SalvageOptions {
  LostReferences references = LostReferences::null;
  ReadLimits limits = {};
  /// Called with every lost slot, by table; those lost for a reference come last.
  std::function<void(const LostSlot&)> on_lost_slot = {};
  std::function<void(const LostReference&)> on_lost_reference = {};
};

/// Row groups of one table that are lost for one reason.
struct LostGroups {
  std::uint64_t first_group = 0;
  std::uint64_t end_group = 0;
  std::uint64_t first_slot = 0;
  std::uint64_t end_slot = 0;
  std::optional<std::uint64_t> records;  ///< Where the slots are sound.
  Error error;
};

/// What became of one table.
struct TableSalvage {
  std::string name;
  std::uint64_t records_before = 0;  ///< Live, by the catalog.
  std::uint64_t records_after = 0;
  std::uint64_t records_clashed =
      0;  ///< Readable, but lost: LossCause::name_taken and place_taken.
  std::uint64_t records_dropped = 0;  ///< Readable, but lost: LossCause::lost_reference.
  std::vector<LostGroups> lost_groups;
  std::uint64_t slots_jumped =
      0;  ///< Free now, at the highest generation: their next records get later ones.
  std::uint64_t slots_retired =
      0;  ///< Lost slots for which there is no later generation, or that would wrap.
  std::uint32_t highest_generation = 0;
  std::vector<Error> free_list_faults;
  std::uint64_t free_list_kept = 0;   ///< Entries of the surviving list, in their order.
  std::uint64_t free_list_added = 0;  ///< Further ones, in slot order.
  std::uint64_t references_nulled = 0;
  std::uint64_t references_kept = 0;  ///< That name lost records.
  std::uint64_t blobs_moved = 0;      ///< Blocks of a blob table, to close holes.
  bool is_sort_forgotten = false;     ///< How far its sorting had come is not known any more.
  /// A one-record table that lost its record: no program could load it so. Left out, it begins
  /// anew.
  bool is_left_out = false;

  [[nodiscard]] std::uint64_t records_lost() const noexcept {
    return records_before > records_after ? records_before - records_after : 0;
  }
  /// Whether it is not what it was.
  [[nodiscard]] bool has_loss() const noexcept;
};

struct Salvage {
  /// To be written by write_image; outlives everything else.
  std::unique_ptr<ImageSource> image;
  std::vector<TableSalvage> tables;  ///< By their numbers in the damaged file.
  std::vector<FrameFault> faults;    ///< Outside of tables.
  std::optional<Hash128>
      stored_state_hash;  ///< Of a sound footer. With no loss, the new file has the same.

  /// Something is not what it was. (A damaged header or a lost copy is none: nothing is gone.)
  [[nodiscard]] bool has_loss() const noexcept;
  /// Nothing was wrong at all.
  [[nodiscard]] bool is_sound() const noexcept { return faults.empty() && !has_loss(); }
};

/// Finds what is sound in a file, whatever happened to it, and makes a whole image of it.
///
///   SV1  A block that is sound is not lost, whatever else is: only the rows of a row group with a
///        damaged or missing block are.
///   SV2  Records that are not lost keep their slots, generations and content, but for handles of
///        lost ones; dense orders keep the order of what is left.
///   SV3  No handle that was ever issued comes alive: slots of lost records go on above the highest
///        generation, or are retired where generations wrap or end.
///   SV4  The image is sound: its file passes every check of `validate`, with `null` and `drop`
///        also the deep one.
///
/// Errors: those of DamagedFile::open; memory_budget for more slots than the file can stand for;
/// I/O.
/// Complexity: reads the file up to three times. Memory: some 17 bytes a slot, 32 a name, 16 a
/// strong handle (`drop`), and a row group.
[[nodiscard]] Result<Salvage> salvage(std::unique_ptr<ByteSource> source,
                                      const SalvageOptions& options = {});

}  // namespace hdb
