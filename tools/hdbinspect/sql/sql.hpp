// Tables of save files as tables of SQLite: in a file (`export`), or in memory for a query (`sql`).
// lib/docs/guide/21-questions.md describes them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dump/selection.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::inspect::sql {

/// One save, and what is wanted of it.
struct Save {
  std::string file;
  std::shared_ptr<const Reader> reader;
  std::vector<dumping::Selection> selections;
};

/// What the help of both commands says about the tables.
inline constexpr std::string_view kTablesNote =
    "Each table has the columns save (1, 2, ... in the order of the files, which the table saves "
    "lists), handle, slot and generation, and one for each field: \"pos.x\" in double quotes. "
    "Enumerators have their names; NaN and the null handle are NULL; a u64 of 2^63 or more, which "
    "SQLite does not have, is a text. A list, array or map is a "
    "table \"monsters.loot\" with the handle of its record and the position i of each element. A "
    "name that SQLite has already, without regard to case, gets _2 after it.";

/// Opens the files and selects their tables. Nothing: the problem was reported, and `status` is the
/// exit status.
[[nodiscard]] std::optional<std::vector<Save>> open_saves(const Context& context,
                                                          const std::vector<std::string>& files,
                                                          dumping::Request request,
                                                          ExitStatus& status);

/// Receives a remark: a name that SQLite could not have.
using Note = std::function<void(const std::string& text)>;

struct Exported {
  std::uint64_t tables = 0;  ///< Of the saves: without those of lists and maps.
  std::uint64_t records = 0;
};

/// Makes the tables in an empty file, with indices. Memory: one row group, and what SQLite caches.
/// Errors: damage that is met, with the file; disk_full, io_failed; limit_exceeded for a table that
/// has too many columns; archive_not_supported in a build without SQLite.
[[nodiscard]] Result<Exported> export_to(const std::string& path, const std::vector<Save>& saves,
                                         const Note& note);

/// Where the answer of a query goes.
struct Answer {
  std::function<void(const std::vector<std::string>& names)> columns;
  /// One row: numbers, texts and opaque bytes; a value without a field is NULL. False ends it.
  std::function<bool(std::span<const Value> values)> row;
};

/// Answers a query that only reads. Only the tables and fields that it names are loaded.
/// Errors: as export_to; bad_name for a text that is not a query, with an offset in it if SQLite
/// says where; bad_options for one that writes; memory_budget if --max-memory is too little.
[[nodiscard]] Status answer(const std::vector<Save>& saves, const std::string& query,
                            const Answer& answer, const Note& note);

}  // namespace hdb::inspect::sql
