// Salvage: repairs a damaged file as far as possible and reports every lost record and handle. For
// hdbinspect repair and editors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// What a repair does with handles that name lost records.
enum class LostReferences : std::uint8_t {
  null,  ///< Makes them null and reports them.
  /// Keeps them; they name nothing. With a strong handle among them, a deep validation fails.
  keep,
  /// Also drops the records that hold strong ones, and so on. Makes the other handles null.
  drop,
};

/// Why a record is lost.
enum class LossCause : std::uint8_t {
  damaged_group,   ///< A block of its row group is damaged.
  missing_group,   ///< No block of its row group was found.
  name_taken,      ///< Another record of the table has the same name.
  place_taken,     ///< Blob tables: its bytes overlap another block or the end of the buffer.
  lost_reference,  ///< It holds a strong handle to a lost record (LostReferences::drop).
  lost_owner,      ///< Component tables: the record that it belongs to is lost or does not exist.
};
/// The name of a cause: "damaged_group", ...
[[nodiscard]] HDB_INSPECT_API std::string_view cause_name(LossCause cause) noexcept;

/// A slot whose record is lost or may be lost.
struct LostSlot {
  std::size_t table = 0;             ///< The index of the table in the damaged file.
  std::string_view table_name = {};  ///< Valid during the call.
  std::uint64_t slot = 0;
  std::optional<std::uint32_t> generation;  ///< None if the slots of the group are damaged.
  /// true: the slot had a record. false: it is unknown whether the slot was live, free or retired.
  bool is_certain = true;
  LossCause cause = LossCause::damaged_group;
  std::uint64_t offset = kNoOffset;  ///< The byte offset of the damage, if it has one.
};

/// A handle that names a lost record, or a strong handle that named no record before the damage.
struct LostReference {
  std::size_t table = 0;             ///< The index of the table whose record holds the handle.
  std::string_view table_name = {};  ///< Valid during the call.
  std::uint64_t slot = 0;            ///< The slot of that record.
  std::uint32_t generation = 0;      ///< The generation of that record.
  std::string path;  ///< The place in the record: "target", "grudges[3]"; escaped for a terminal.
  std::string name;  ///< The handle as text: "things:9@2"; not escaped.
  bool is_strong = false;
  bool is_nulled = false;  ///< true: the handle is null now; false: it was kept.
};

/// A value of a damaged column, in a record that is kept.
struct LostValue {
  std::size_t table = 0;             ///< The index of the table in the damaged file.
  std::string_view table_name = {};  ///< Valid during the call.
  std::uint64_t slot = 0;
  std::uint32_t generation = 0;
  std::string_view path;    ///< The field: "pos.x"; escaped for a terminal.
  std::string_view json;    ///< The value that the record has now, as value_json.
  std::string_view source;  ///< The neighbour that the value was taken from; empty: the default.
};

/// Another save of the same game, which may have what a damaged file lost.
struct Neighbour {
  std::string name;  ///< How reports name the save.
  std::unique_ptr<ByteSource> source;
};

/// The options of salvage.
struct SalvageOptions {
  LostReferences references = LostReferences::null;
  ReadLimits limits = {};
  /// Called with each lost slot, table by table; slots with LossCause::lost_reference come last.
  std::function<void(const LostSlot&)> on_lost_slot = {};
  /// Called with each lost reference.
  std::function<void(const LostReference&)> on_lost_reference = {};
  /// Called with each lost value.
  std::function<void(const LostValue&)> on_lost_value = {};
  /// Loses the records that have lost values, too.
  bool drops_damaged_records = false;
};

/// Neighbouring row groups of one table that are lost for the same reason.
struct LostGroups {
  std::uint64_t first_group = 0;
  std::uint64_t end_group = 0;  ///< The group after the last one.
  std::uint64_t first_slot = 0;
  std::uint64_t end_slot = 0;            ///< The slot after the last one.
  std::optional<std::uint64_t> records;  ///< The lost records; none if the slots are damaged.
  Error error;
};

/// Values that came from one neighbour.
struct TakenValues {
  std::string name;  ///< Neighbour::name.
  std::uint64_t values = 0;
};

/// A field that was lost in one row group. Its records are kept.
struct LostField {
  std::uint64_t group = 0;
  std::uint64_t first_slot = 0;
  std::uint64_t end_slot = 0;  ///< The slot after the last one.
  /// "pos.x"; escaped for a terminal. "@position": the place in the dense order; without it, the
  /// record comes after the others, in slot order.
  std::string path;
  std::uint64_t records = 0;       ///< The records, each of which lost this value.
  std::vector<TakenValues> taken;  ///< The other records have the default.
  Error error;

  /// The number of values that are the default now.
  [[nodiscard]] HDB_INSPECT_API std::uint64_t defaulted() const noexcept;
};

/// A neighbour from which a table took nothing in a row group, and why.
struct RefusedNeighbour {
  std::string name;  ///< Neighbour::name.
  std::string reason;
};

/// What a repair did with one table.
struct TableSalvage {
  std::string name;
  std::uint64_t records_before = 0;    ///< Live records by the catalog.
  std::uint64_t records_after = 0;     ///< Live records in the image.
  std::uint64_t records_clashed = 0;   ///< Readable, but lost by name_taken or place_taken.
  std::uint64_t records_dropped = 0;   ///< Readable, but lost by lost_reference.
  std::uint64_t records_orphaned = 0;  ///< Readable, but lost by lost_owner.
  std::vector<LostGroups> lost_groups;
  std::vector<LostField> lost_fields;
  std::vector<RefusedNeighbour> refused_neighbours;  ///< Each once, with the first reason.
  /// Lost slots that are free now; their next records get generations above all issued ones. None
  /// in a component table, where lost slots are unissued.
  std::uint64_t slots_jumped = 0;
  /// Lost slots that are retired now, because generations wrap or end.
  std::uint64_t slots_retired = 0;
  std::uint32_t highest_generation = 0;
  /// In component tables, this and the next two are about the list of holes.
  std::vector<Error> free_list_faults;
  std::uint64_t free_list_kept = 0;   ///< Entries kept from the file, in their order.
  std::uint64_t free_list_added = 0;  ///< Entries added after them, in slot order.
  std::uint64_t references_nulled = 0;
  std::uint64_t references_kept = 0;     ///< Handles to lost records that were kept.
  std::uint64_t blobs_moved = 0;         ///< Blob tables: blocks moved to close holes.
  bool is_sort_forgotten = false;        ///< The progress of a sort is lost.
  std::uint64_t extensions_dropped = 0;  ///< Additions of later versions that may not fit any more.
  /// The table is a singleton that lost its record. The image leaves it out, so that a load makes
  /// a default record.
  bool is_left_out = false;

  /// The number of records in the catalog that the image does not have.
  [[nodiscard]] std::uint64_t records_lost() const noexcept {
    return records_before > records_after ? records_before - records_after : 0;
  }
  /// Whether a record, a value, a free-list entry or a handle was lost.
  [[nodiscard]] HDB_INSPECT_API bool has_loss() const noexcept;
};

/// The result of salvage.
struct Salvage {
  /// The repaired contents, for write_image. Owns the damaged file.
  std::unique_ptr<ImageSource> image;
  std::vector<TableSalvage> tables;  ///< By the index of the table in the damaged file.
  std::vector<FrameFault> faults;    ///< Damage outside of tables, and damage without loss.
  /// Why neighbours cannot be used, with their names as Error::file: those of `salvage` for a file.
  std::vector<Error> unusable_neighbours;
  /// Additions of later versions to the database that may not fit any more.
  std::uint64_t extensions_dropped = 0;
  /// The state hash of a sound footer. Without loss, the new file has the same state hash.
  std::optional<Hash128> stored_state_hash;

  /// Whether anything was lost. A damaged header or one lost catalog of two is not a loss.
  [[nodiscard]] HDB_INSPECT_API bool has_loss() const noexcept;
  /// Whether nothing was wrong with the file.
  [[nodiscard]] bool is_sound() const noexcept { return faults.empty() && !has_loss(); }
};

/// Finds the sound part of a damaged file and makes an image that every check accepts. Needs one
/// sound catalog.
///
/// What is lost is taken from `neighbours`, which may be damaged themselves: first each block and
/// chunk that has the stored hash, which costs nothing; then, in records that both have (same slot
/// and generation, in a table of the same name and fields), the values of lost fields. A neighbour
/// supplies values to a row group only if at least half of the sound values of these records are
/// equal in both; of several, the one with the most equal values comes first, at equal numbers the
/// one that was given first. Slots, names and places of blobs are never taken without such a hash.
/// All other lost values become the default: zero, null or empty.
///
/// Errors: the file has no sound catalog or is of another format version; memory_budget if the
/// catalog claims more slots than limits and file size allow; I/O.
/// Complexity: reads the file up to three times, and the row groups of neighbours where something
/// is lost. Memory: about 17 bytes for each slot, 32 for each name, 16 for each strong handle
/// (`drop`), and a row group of each of two files.
///
/// Example:
/// @code
/// hdb::SalvageOptions options;
/// int lost = 0;
/// options.on_lost_value = [&](const hdb::LostValue&) { ++lost; };
/// auto saved = hdb::salvage(hdb::FileSource::open("damaged.hdb").value(), options);
/// if (!saved) return;  // saved.error().message() says why
/// assert(lost == 11 && saved->tables[1].records_lost() == 0);  // one byte of "monsters" changed
/// hdb::MemorySink fixed;  // to write a file: AtomicFile of hdb/atomic_file.hpp
/// if (!hdb::write_image(*saved->image, fixed)) return;
/// assert(hdb::validate(std::make_unique<hdb::MemorySource>(fixed.take())).is_valid());
/// @endcode
//
//   SV1  A sound block is never lost, whatever else is damaged: only the records of a row group
//        without its slots are lost.
//   SV2  Records that are not lost keep their slots, generations and content, except handles to
//        lost records and values that are reported as lost. Dense orders keep the order of the
//        remaining records.
//   SV3  No handle that was ever issued resolves to a new record: slots of lost records continue
//        above the highest generation, or are retired if generations wrap or end. A handle that was
//        taken from a neighbour and may name a record of a later time becomes null.
//   SV4  The image is sound: its file passes a full validation; with `null` and `drop` also a deep
//        one.
//   SV5  A component of a lost record is lost with it. The image has no component without a record.
[[nodiscard]] HDB_INSPECT_API Result<Salvage> salvage(std::unique_ptr<ByteSource> source,
                                                      const SalvageOptions& options = {},
                                                      std::vector<Neighbour> neighbours = {});

}  // namespace hdb
