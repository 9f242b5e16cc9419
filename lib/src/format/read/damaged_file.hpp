// A file in any state: what can still be read of it, block by block. `Reader` is for files that are
// whole.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "format/frame/block_scan.hpp"
#include "format/frame/catalog.hpp"
#include "format/read/group_decoder.hpp"
#include "format/read/scratch_pool.hpp"

namespace hdb::format {

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
  [[nodiscard]] const std::vector<Field>& schemas() const { return catalog_.schemas; }
  /// As the file says; what is found may contradict their counts.
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const { return catalog_.tables; }
  [[nodiscard]] const DatabaseDescriptor& database() const { return catalog_.database; }
  /// Empty when it is lost.
  [[nodiscard]] const Metadata& metadata() const { return metadata_; }
  [[nodiscard]] const Bytes& thumbnail() const { return thumbnail_; }
  /// Blocks of unknown types that are safe to copy.
  [[nodiscard]] const std::vector<AncillaryBlock>& ancillary_blocks() const { return ancillary_; }
  [[nodiscard]] const std::vector<FrameFault>& faults() const { return faults_; }
  /// Of a sound footer.
  [[nodiscard]] std::optional<Hash128> state_hash() const { return state_hash_; }
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  /// Bytes after the first block that belong to no block, nor to the end of the file, where no
  /// directory lists what was there.
  [[nodiscard]] std::uint64_t unexplained_bytes() const { return unexplained_bytes_; }

  /// One row group, every hash and rule checked. Errors: missing_block when no block of it was
  /// found; what is wrong with it.
  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, RowGroup& out) const;
  /// Slots, and the columns that are sound; see GroupDecoder::decode_sound.
  [[nodiscard]] Status read_sound_columns(std::size_t table, std::uint64_t group,
                                          const ChunkSpare& spare, RowGroup& out,
                                          std::vector<bool>& lost) const;
  /// See GroupDecoder::copy_chunk.
  [[nodiscard]] bool copy_chunk(std::size_t table, std::uint64_t group, const ChunkInfo& chunk,
                                std::span<std::byte> to) const;
  /// Whether a row group is in blocks that should have the same content in both files, by their
  /// hashes.
  [[nodiscard]] bool has_same_blocks(std::size_t table, std::uint64_t group,
                                     const DamagedFile& other) const;
  /// The same of a block of a free list, or of the pack that holds the list.
  [[nodiscard]] bool has_same_free_list(std::size_t table, std::uint32_t part,
                                        const DamagedFile& other) const;
  /// Only states, generations and positions, which may be sound where the rest is not.
  [[nodiscard]] Status read_slots(std::size_t table, std::uint64_t group, RowGroup& out) const;
  /// How many blocks the free list of a table takes.
  [[nodiscard]] std::uint32_t free_list_parts(std::size_t table) const;
  /// The entries of one of these blocks, which may name any slots.
  [[nodiscard]] Result<std::vector<std::uint32_t>> read_free_list_part(std::size_t table,
                                                                       std::uint32_t part) const;

 private:
  DamagedFile(std::unique_ptr<ByteSource> source, std::uint64_t file_bytes,
              const ReadLimits& limits);
  [[nodiscard]] Status find_all();
  [[nodiscard]] Status choose_file(FoundFile& found);
  [[nodiscard]] Result<bool> take_catalog(FoundFile& found, const Hash128& id);
  void index_blocks(FoundFile& found);
  [[nodiscard]] std::vector<FoundBlock>::const_iterator lower_bound(const BlockKey& key) const;
  [[nodiscard]] const FoundBlock* find(const BlockKey& key) const;
  [[nodiscard]] Status refuse_newer() const;
  [[nodiscard]] std::uint64_t count_unexplained();
  [[nodiscard]] std::uint64_t lost_catalog_bytes() const;
  [[nodiscard]] std::uint64_t count_behind(std::uint64_t offset, std::uint64_t blocks);
  void open_packs();
  [[nodiscard]] const FoundBlock* pack_of(std::size_t table) const;
  void report_repaired_blocks();
  void report_catalogs();
  [[nodiscard]] Result<Bytes> content_of(const FoundBlock& block, std::uint64_t limit,
                                         std::vector<Extension>* extensions = nullptr) const;
  [[nodiscard]] Status read_metadata();
  [[nodiscard]] Status read_others();
  [[nodiscard]] std::vector<BlockInfo> parts_of(std::size_t table, std::uint64_t group) const;
  [[nodiscard]] std::string place_of(const BlockInfo& block) const;
  template <class Decode>
  [[nodiscard]] Status read(std::size_t table, std::uint64_t group, const Decode& decode) const;

  OverlaySource patched_;
  BlockSource source_;
  std::uint64_t file_bytes_;
  ReadOptions options_;
  Hash128 file_id_;
  bool has_directory_ = false;
  std::uint64_t unexplained_bytes_ = 0;
  std::optional<Hash128> state_hash_;
  std::vector<FoundBlock> blocks_;                    // by key
  std::map<std::uint32_t, const FoundBlock*> packs_;  // sound ones, by each of their tables
  // Begin and end of every block, including the other copies.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> regions_;
  Catalog catalog_;
  std::vector<Grammar> grammars_;
  Metadata metadata_;
  Bytes thumbnail_;
  std::vector<AncillaryBlock> ancillary_;
  std::vector<FrameFault> faults_;
  mutable ScratchPool pool_;
};

}  // namespace hdb::format
