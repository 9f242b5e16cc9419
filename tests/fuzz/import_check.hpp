// Imports the records of files that may be anything into a running game.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/import.hpp"
#include "subject.hpp"
#include "support/using_detail.hpp"

namespace hdb::fuzz {

/// A database with the declared tables and some records.
///
///   F14  A refused import changes nothing, and the refusal says why.
///   F15  An import leaves all records as they were under their handles; its report names what it
///        inserted; the state can be saved.
class ImportCheck {
 public:
  /// Checks that sound files are accepted.
  ImportCheck();
  /// Imports the file, checks F14 and F15 and goes back. Why the file was refused.
  Status run(std::span<const std::byte> bytes, const ImportOptions& options);

 private:
  using UnitHandle = Handle<test::Unit, Layout<20, 12>>;

  Database db_;
  Snapshot before_;
  Hash128 hash_before_;
  std::vector<std::pair<UnitHandle, std::int32_t>> units_;  // and their hit points
};

}  // namespace hdb::fuzz
