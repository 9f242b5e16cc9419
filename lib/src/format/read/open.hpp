// Opening: header, footer, directory, metadata, both catalogs, geometry.
#pragma once

#include "format/frame/block_source.hpp"
#include "format/frame/catalog.hpp"
#include "format/frame/layout.hpp"

namespace hdb::format {

struct OpenedFile {
  FileInfo info;
  std::vector<BlockInfo> blocks;
  Catalog catalog;
  std::vector<TableLayout> layout;
  std::vector<Error> faults;  ///< Of copies that were damaged and accepted.
};

/// Reads and checks everything but the content of tables, thumbnail and unknown blocks.
/// `accept_damaged_copies`: also with damaged metadata, or with one of the two catalogs damaged.
/// `scratch`: memory for decoding.
[[nodiscard]] Result<OpenedFile> open_file(BlockSource& source, const ReadLimits& limits,
                                           bool accept_damaged_copies, ChunkDecoder& scratch);

}  // namespace hdb::format
