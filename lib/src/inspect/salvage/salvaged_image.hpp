// What is left of a file, as the source of a new one.
#pragma once

#include <memory>

#include "hdb/inspect/salvage.hpp"
#include "inspect/salvage/lost_references.hpp"

namespace hdb::salvaging {

/// Everything that the image of a salvage reads from.
struct Salvaged {
  std::unique_ptr<format::DamagedFile> file;
  DatabaseDescriptor database;  ///< Without what may not fit any more.
  SalvageOptions options;
  std::unique_ptr<GroupSource> groups;
  SalvagedTables tables;
  std::unique_ptr<ReferenceJudge> references;
};

/// Requires: the tables are settled.
[[nodiscard]] std::unique_ptr<ImageSource> image_of_salvaged(std::unique_ptr<Salvaged> salvaged);

}  // namespace hdb::salvaging
