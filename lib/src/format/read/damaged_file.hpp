// A file in any state: what can still be read of it, block by block. `Reader` is for files that are
// whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/file_info.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// What is left of a file. After `open`, const calls may come from several threads at once.
///
/// Blocks are found by the directory, or else by their own heads: header, footer and directory may
/// be lost, bytes may be missing or in between. Where a block is there twice, the sound one counts,
/// else the first. One of the two catalogs must be there.
class DamagedFile {
 public:
  /// Errors: missing_block when no catalog is sound (the blocks cannot be interpreted),
  /// bad_signature when there is no block at all; unknown_block, newer_version, old_draft,
  /// unknown_feature and read_only_feature for files of another version; limits; I/O.
  [[nodiscard]] static Result<std::unique_ptr<DamagedFile>> open(std::unique_ptr<ByteSource> source,
                                                                 const ReadLimits& limits = {});
  virtual ~DamagedFile() = default;

  [[nodiscard]] virtual const std::vector<Field>& schemas() const = 0;
  /// As the file says; what is found may contradict their counts.
  [[nodiscard]] virtual const std::vector<TableDescriptor>& tables() const = 0;
  [[nodiscard]] virtual std::uint16_t highest_type_id() const = 0;
  /// Empty when it is lost.
  [[nodiscard]] virtual const Metadata& metadata() const = 0;
  [[nodiscard]] virtual const Bytes& thumbnail() const = 0;
  /// Blocks of unknown types that are safe to copy.
  [[nodiscard]] virtual const std::vector<AncillaryBlock>& ancillary_blocks() const = 0;
  [[nodiscard]] virtual const std::vector<FrameFault>& faults() const = 0;
  /// Of a sound footer.
  [[nodiscard]] virtual std::optional<Hash128> state_hash() const = 0;
  [[nodiscard]] virtual std::uint64_t file_bytes() const = 0;
  /// Bytes between the first block and the second catalog that belong to no block, where no
  /// directory lists what was there.
  [[nodiscard]] virtual std::uint64_t unexplained_bytes() const = 0;

  /// One row group, every hash and rule checked. Errors: missing_block when no block of it was
  /// found; what is wrong with it.
  [[nodiscard]] virtual Status read_group(std::size_t table, std::uint64_t group,
                                          RowGroup& out) const = 0;
  /// Only states, generations and positions, which may be sound where the rest is not.
  [[nodiscard]] virtual Status read_slots(std::size_t table, std::uint64_t group,
                                          RowGroup& out) const = 0;
  /// How many blocks the free list of a table takes.
  [[nodiscard]] virtual std::uint32_t free_list_parts(std::size_t table) const = 0;
  /// The entries of one of these blocks, which may name any slots.
  [[nodiscard]] virtual Result<std::vector<std::uint32_t>> read_free_list_part(
      std::size_t table, std::uint32_t part) const = 0;
};

}  // namespace hdb
