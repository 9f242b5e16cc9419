// Puts the parts of one save into an archive: a FrameSink and GroupStore for write_frame. Knows the
// last save of the world, so that what did not change costs nothing and what changed a little is
// kept as a difference.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "archive/manifest.hpp"
#include "archive/object_store.hpp"
#include "format/frame/catalog.hpp"
#include "format/write/group_encoder.hpp"

namespace hdb::archive {

/// A row group, or a block of a free list, of a save.
struct PreviousGroup : format::GroupFacts {
  std::vector<RootEntry> blocks;  ///< Its parts.
};

struct PreviousTable {
  Hash128 schema;
  std::uint8_t group_shift = 0;
  std::vector<PreviousGroup> groups;
  std::vector<PreviousGroup> free_list;
};

/// What is known of the last save of a world.
struct PreviousSave {
  Bytes manifest;  ///< Empty: nothing is known.
  std::uint64_t sequence = 0;
  ObjectId root = {};
  std::uint64_t root_bytes = 0;
  std::map<std::string, PreviousTable, std::less<>> tables;
  std::vector<RootEntry> others;  ///< Blocks that are not chunks of a table.
  format::PositionSums position_sums;
};

/// What a stored save says: all but the facts of its groups.
[[nodiscard]] PreviousSave known_from(const format::Catalog& catalog,
                                      std::span<const RootEntry> entries);

/// For one save.
class VersionWriter final : public format::FrameSink, public format::GroupStore {
 public:
  /// `last` must outlive the writer, which may check its groups again; its position sums go to the
  /// next save.
  VersionWriter(ObjectStore& store, const ImageSource& image, PreviousSave& last,
                const WriteOptions& options);

  // FrameSink
  [[nodiscard]] Status begin(std::uint64_t most_bytes) override;
  [[nodiscard]] Status add_unchunked(BlockInfo info, std::span<const std::byte> payload,
                                     std::uint64_t raw_bytes) override;
  [[nodiscard]] Status add_compressed(const BlockInfo& info,
                                      std::span<const std::byte> content) override;
  [[nodiscard]] Status add_encoded(const format::EncodedBlocks& encoded) override;
  [[nodiscard]] Status finish(const Hash128& state_hash) override;
  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  // The fewer objects, the less a small change of many tables takes.
  [[nodiscard]] std::uint64_t pack_bytes() const noexcept override { return format::kMaxPackBytes; }

  // GroupStore. Chunks have codec none and no filters, so there is nothing to copy.
  [[nodiscard]] format::GroupFacts* last_group(std::size_t table,
                                               std::uint64_t group) noexcept override;
  void add_last_chunks(std::size_t, format::GroupPart, std::uint64_t,
                       format::StoredChunks&) const override {}
  void reuse_from_last(std::size_t table, std::uint64_t group, const Hash128& file_id,
                       format::EncodedBlocks& out) override;
  [[nodiscard]] Status store_group(std::size_t table, format::GroupPart part, std::uint64_t number,
                                   const format::GroupFacts& facts,
                                   format::EncodedBlocks& out) override;
  [[nodiscard]] format::PositionSums& position_sums() noexcept override {
    return next_.position_sums;
  }

  /// Stores what is left and the manifest, whose root, sizes and metadata are filled in. Returns
  /// whether the manifest was stored; false: another save has its place.
  [[nodiscard]] Result<bool> commit(Manifest& manifest);
  /// What is known of the save, once it is stored.
  [[nodiscard]] PreviousSave take_known() noexcept { return std::move(next_); }

 private:
  // A new object and the one of the last save in its place.
  struct Candidate {
    ObjectId id = {};
    std::span<const std::byte> raw;
    unsigned width = 1;
    std::optional<ObjectId> last;
  };
  struct Pending {
    ObjectId id = {};
    Bytes stored;
  };

  [[nodiscard]] Status add_block(const BlockInfo& info, BlockKind kind, const ObjectId& id);
  [[nodiscard]] Status store_new(std::span<const Candidate> candidates);
  [[nodiscard]] Status encode(const Candidate& candidate, bool has_last, ObjectEncoder& encoder,
                              Bytes& out);
  [[nodiscard]] Status flush();
  [[nodiscard]] std::vector<NodeChunk> last_chunks(const PreviousGroup* group);

  class EncoderLease;

  ObjectStore& store_;
  PreviousSave& last_;
  const WriteOptions& options_;
  std::vector<PreviousTable*> last_tables_;  // by table of the image; null: not known
  std::vector<PreviousTable*> next_tables_;
  PreviousSave next_;
  std::vector<RootEntry> entries_;
  Bytes metadata_;
  Hash128 state_hash_;
  std::uint64_t size_ = 0;
  std::mutex mutex_;
  // Guarded by mutex_:
  std::vector<std::unique_ptr<ObjectEncoder>> encoders_;  // not lent
  std::vector<Pending> pending_;
  std::unordered_set<ObjectId, HashOfId> stored_;  // by this save, pending ones too
  std::uint64_t pending_bytes_ = 0;
  std::uint64_t raw_bytes_ = 0;  // of new objects
  std::uint64_t new_objects_ = 0;
  std::uint64_t new_bytes_ = 0;
};

}  // namespace hdb::archive
