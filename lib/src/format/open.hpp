// Opening: header, footer, directory, metadata, both catalogs, geometry.
#pragma once

#include "block_source.hpp"
#include "catalog.hpp"
#include "layout.hpp"

namespace hdb::format {

struct OpenedFile {
  FileInfo info;
  std::vector<BlockInfo> blocks;
  Catalog catalog;
  std::vector<TableLayout> layout;
};

/// Reads and checks everything but the content of tables, thumbnail and unknown blocks.
[[nodiscard]] Result<OpenedFile> open_file(BlockSource& source, const ReadLimits& limits);

}  // namespace hdb::format
