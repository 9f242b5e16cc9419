// Validation: finds the damage of a file and what it costs. For hdbinspect validate, editors, and
// games that check saves before an upload.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/references.hpp"
#include "hdb/io.hpp"

namespace hdb {

class Reader;

/// How much a validation checks.
enum class ValidationLevel : std::uint8_t {
  quick,  ///< Header, footer, directory, geometry, metadata, schemas and table descriptors.
  /// Also all hashes of blocks and columns, the grammar of columns, slots, names, blobs, free lists
  /// and dense orders.
  full,
  /// Also the state hash, and each handle in each record. A strong handle that names no live record
  /// is a finding; all other handles are only counted.
  deep,
};

/// The options of validate.
struct ValidationOptions {
  ValidationLevel level = ValidationLevel::full;
  std::size_t max_findings = 20;  ///< Stops after this many findings.
  ReadLimits limits = {};
  unsigned threads = 1;  ///< At least 1. The result does not depend on it.
};

/// One fault of a file.
struct Finding {
  Error error;
  std::uint64_t bytes = 0;  ///< The size of the damaged part; 0 if unknown.
  std::string effect;       ///< "11 records cannot be read; 5 of 7 blocks are sound".
};

/// The result of validate.
struct Validation {
  std::vector<Finding> findings;
  /// Why the file was not checked to the end: I/O, a limit, a newer format. None if it was.
  std::optional<Error> trouble;
  bool stopped_early = false;  ///< There were more than ValidationOptions::max_findings.
  /// The file, which accepts damaged copies unless the level is quick; null if it could not be
  /// opened, and the members below are not set then.
  std::shared_ptr<const Reader> reader;
  std::uint64_t tables = 0;
  std::uint64_t records = 0;
  std::uint64_t blocks = 0;
  std::optional<Hash128> state_hash;       ///< Deep: the computed one, if all tables are sound.
  std::vector<ReferenceCount> references;  ///< Deep: the handles of each field.
  std::vector<std::string> table_names;    ///< By the index of the table.

  /// Whether the file was checked to the end without a finding.
  [[nodiscard]] bool is_valid() const noexcept { return findings.empty() && !trouble; }
};

/// Checks a file.
///
/// Requires: `source` is not null.
/// Complexity: reads and decodes each block once; the blocks of a damaged table twice. Memory: a
/// row group for each thread, and for one table 3 bits for each slot and its free list. Deep: also
/// 32 MiB, and 4 bytes for each slot of tables that handles name.
///
/// Example:
/// @code
/// const hdb::Validation found = hdb::validate(hdb::FileSource::open("damaged.hdb").value());
/// if (found.trouble) return;  // found.trouble->message() says why it could not be checked
/// for (const hdb::Finding& finding : found.findings) {
///   std::printf("%s\n  effect  %s\n", finding.error.message().c_str(), finding.effect.c_str());
/// }
/// assert(found.findings.size() == 1 && found.findings[0].error.offset == 1784);
/// assert(found.findings[0].effect == "11 records cannot be read; 6 of 7 blocks are sound");
/// @endcode
[[nodiscard]] HDB_INSPECT_API Validation validate(std::unique_ptr<ByteSource> source,
                                                  const ValidationOptions& options = {});

}  // namespace hdb
