// Checks a file as thoroughly as asked, and collects what is wrong with it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/hash.hpp"
#include "hdb/inspect/references.hpp"
#include "hdb/io.hpp"

namespace hdb {

enum class ValidationLevel : std::uint8_t {
  quick,  ///< Header, directory, footer, schema, tables, geometry.
  /// Also the hash of every block, the raw hash and grammar of every column, slots, names, blobs,
  /// free lists, dense orders.
  full,
  /// Also the state hash, computed again from the columns, and every handle in every record: a
  /// strong handle must name a live record; the other handles are counted.
  deep,
};

struct ValidationOptions {
  ValidationLevel level = ValidationLevel::full;
  std::size_t max_findings = 20;  ///< Then it stops early.
  ReadLimits limits = {};
  unsigned threads = 1;  ///< That decode and hash, at least 1; the result does not depend on it.
};

/// One thing that is wrong with a file.
struct Finding {
  Error error;
  std::uint64_t bytes = 0;  ///< Size of what is damaged; 0: unknown.
  std::string effect;       ///< What it costs: "11 records unreadable; 5 of 7 blocks sound".
};

struct Validation {
  std::vector<Finding> findings;
  /// Why the file could not be checked, or not to the end: I/O, a limit, a newer format.
  std::optional<Error> trouble;
  bool stopped_early = false;  ///< At ValidationOptions::max_findings.
  bool opened = false;  ///< Header, directory and footer are sound; the rest of this is filled.
  std::uint64_t tables = 0;
  std::uint64_t records = 0;
  std::uint64_t blocks = 0;
  Hash128 state_hash;
  std::vector<ReferenceCount> references;  ///< Deep: by field, of the tables by number.
  std::vector<std::string> table_names;    ///< By number.

  [[nodiscard]] bool is_valid() const noexcept { return findings.empty() && !trouble; }
};

/// Checks the file that `source` gives.
/// Memory: a row group a thread, three bits a slot and the free list of one table; deep: also 32
/// MiB, and four bytes a slot of the tables that handles name.
/// Complexity: each block is read and decoded once; those of a table in which something is wrong
/// twice.
[[nodiscard]] Validation validate(std::unique_ptr<ByteSource> source,
                                  const ValidationOptions& options = {});

}  // namespace hdb
