// The next version of the game whose files the fuzzers edit: records, tables, handles and policies
// have changed, and migrations bring the old ones over.
#pragma once

#include <span>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "support/using_detail.hpp"

namespace hdb::fuzz {

/// Two databases with the tables of the later game.
///
///   F12  A file that is refused changes nothing, and the refusal says why.
///   F13  What a load brings over holds its invariants, is saved, and loads as what it was.
///   F21  What load_as brings over with the schemas of the game is saved, and the game loads it.
class LaterGame {
 public:
  /// Checks that sound files are accepted.
  LaterGame();
  /// Loads the file, checks F12, F13 and F21 and goes back. Why the file was refused.
  Status load(std::span<const std::byte> bytes, const LoadOptions& options);

 private:
  void check_without_program(std::span<const std::byte> bytes, const LoadOptions& options);
  void go_back();

  Database db_;
  Database copy_;
  std::vector<TableSchema> schemas_;
  Snapshot before_;
  Hash128 hash_before_;
};

}  // namespace hdb::fuzz
