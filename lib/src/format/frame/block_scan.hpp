// Finds the blocks of a file of which nothing can be relied on: by its directory, else by their
// heads.
#pragma once

#include <optional>
#include <vector>

#include "format/frame/frame.hpp"
#include "format/frame/overlay_source.hpp"

namespace hdb::format {

/// A block that was found, or should be there.
struct FoundBlock {
  BlockInfo info;
  Hash128 file_id;
  bool is_sound = false;       ///< Its payload is what was written; its head reads as sound.
  std::optional<Error> fault;  ///< What is wrong with it, also where it could be put right.
};

/// What was found of a file.
struct FoundFile {
  std::optional<FileHeader> header;
  std::optional<Footer> footer;
  std::optional<Hash128> directory_id;  ///< The directory is sound, and of this file.
  std::vector<Error> frame_faults;      ///< Of header, footer and directory.
  /// Of the directory in its order, then those found by their heads; several may be for one place.
  std::vector<FoundBlock> blocks;
};

/// Looks for blocks. The heads of those of a sound directory are put right in `source`, and one
/// wrong byte in the index of a small row group, which its hash shows. Where the
/// directory is lost, or says of a block what is not there, every byte outside of sound blocks is
/// tried as the begin of a head.
///
/// Errors: newer_version, old_draft, unknown_feature and read_only_feature of a sound header;
/// limit_exceeded; those of `source`.
/// Complexity: linear in the file's size, also for files made to be slow. Memory: the largest
/// block, and the blocks' heads.
[[nodiscard]] Result<FoundFile> find_blocks(OverlaySource& source, std::uint64_t file_bytes,
                                            const ReadLimits& limits);

}  // namespace hdb::format
