// Words that completions offer from a file: tables, records and fields of a save, worlds and saves
// of an archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hdb::inspect {

enum class FileWord : std::uint8_t { table, field, record, edit, world, save };

/// What `begin` may become, a line each: tables of the save ("monsters"), fields ("pos.x"; after a
/// comma the next one), or step by step records and their fields ("monsters:", "monsters:42@1",
/// "monsters:42@1.pos.x"; of an edit with "=" at the end). The save is the first of `paths` that is
/// a file or a folder of files. Of the archive file among `paths` the worlds ("gate"); of the one
/// in `begin` step by step its saves ("saves.hdba@gate/", "saves.hdba@gate/7"). Only words that no
/// shell obeys; of what a shell changes only [ ] < > in paths of fields. No more than 200 records
/// or saves. Empty if the file cannot be read; nothing is printed.
[[nodiscard]] std::string file_words(FileWord kind, const std::string& begin,
                                     const std::vector<std::string>& paths);

}  // namespace hdb::inspect
