// Checks one file as thoroughly as asked and collects what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exit_status.hpp"
#include "hdb/base/hash.hpp"

namespace hdb::inspect {

/// One thing that is wrong with a file.
struct Finding {
  Error error;
  std::uint64_t bytes = 0;  ///< Size of what is damaged; 0: unknown.
  std::string effect;       ///< What it costs.
  std::string next;         ///< What to do.
};

struct Validation {
  ExitStatus status = ExitStatus::fine;
  std::optional<Error>
      trouble;  ///< The file could not be checked at all (I/O, a limit, a newer format).
  std::vector<Finding> findings;
  bool stopped_early = false;  ///< Because of the most findings wanted.
  bool opened = false;  ///< Header, directory and footer are sound; the rest of this is filled.
  std::uint64_t tables = 0;
  std::uint64_t records = 0;
  std::uint64_t blocks = 0;
  Hash128 state_hash;
};

/// Quick: opens the file (header, directory, footer, schema, tables, geometry). Full: also every
/// block's hash, every column against its raw hash and grammar, slots, free lists, dense orders and
/// the state hash.
/// Memory: a row group, three bits a slot, and four bytes a slot of one table.
[[nodiscard]] Validation validate_file(const std::string& path, bool full,
                                       std::size_t max_findings);

}  // namespace hdb::inspect
