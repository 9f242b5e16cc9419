// WHERE of the history commands: folders, files and archives, as one series of saves.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "hdb/inspect/record_history.hpp"
#include "hdb/inspect/save_series.hpp"

namespace hdb::inspect {

/// What the help of each history command says about WHERE.
inline constexpr const char* kWhereHelp =
    "A folder of saves of one world, files, an archive, or ARCHIVE@WORLD; may be repeated";
inline constexpr const char* kWhereNote =
    "Saves are ordered by the sequence number that they store, then by date, then by name. In a "
    "folder, every file that is an hdb save is used, whatever its name; folders inside it are not "
    "searched. A damaged save is reported, and the others are used. Of an archive, all saves of "
    "one "
    "world are used.";

/// What --json and --verify mean for those who follow records.
[[nodiscard]] FollowOptions follow_options(const Context& context);

/// A series, and how much of it is read.
struct OpenSeries {
  std::unique_ptr<SaveSeries> saves;  ///< Null: there is none, and the reason was reported.
  std::uint64_t file_bytes = 0;       ///< Of all its saves.
  /// The bytes read so far, by the series itself and by its readers.
  std::shared_ptr<const std::atomic<std::uint64_t>> bytes_read;
};

/// Finds the saves of WHERE; of folders without the file `except`. Reports files that cannot be
/// used; `status` becomes worse with them.
[[nodiscard]] OpenSeries open_series(const Context& context, const std::vector<std::string>& where,
                                     ExitStatus& status, const std::string& except = {});

/// Opens a save. Reports an error, with which `status` becomes worse; null then.
[[nodiscard]] std::shared_ptr<const Reader> open_save(const Context& context,
                                                      const SaveSeries& series, std::size_t save,
                                                      ExitStatus& status);

/// Whether `a` was saved before `b`, as kWhereNote says.
[[nodiscard]] bool is_earlier(const SeriesSave& a, const SeriesSave& b);

/// WHERE as it is typed in a command.
[[nodiscard]] std::string typed_where(const std::vector<std::string>& where);
/// The names of the files, if each save has another one; else their paths. Not escaped.
[[nodiscard]] std::vector<std::string> short_names(const std::vector<SeriesSave>& saves);
/// "#12  2026-11-21 05:43:49 UTC": sequence and date of a save, as far as it stores them.
[[nodiscard]] std::string moment_of(const SeriesSave& save);
/// "saves/auto-3.hdb  #12  2026-11-21 05:43:49 UTC". Safe to print.
[[nodiscard]] std::string save_label(const SeriesSave& save);
/// Adds the members of a save: save, sequence, date_unix_ms.
JsonObject& add_save(const SeriesSave& save, JsonObject& object);
/// "read 1.2 MiB of 410.0 MiB (0.3 %)".
[[nodiscard]] std::string reading_text(const OpenSeries& series);
/// "2 files were passed over because they are not hdb saves: a.hdb, b.hdb"; nothing for none.
void note_other_files(const Context& context, const std::vector<std::string>& files);
/// "12 saves lack the table 'monsters' and were passed over; the first is saves/auto-1.hdb".
void note_passed_over(const Context& context, std::size_t count, const std::string& first,
                      const std::string& what);

}  // namespace hdb::inspect
