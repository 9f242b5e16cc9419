// The names of tables, records and fields that completions offer from a save file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hdb::inspect {

enum class FileWord : std::uint8_t { table, field, record, edit };

/// What `begin` may become, a line each: tables of the save ("monsters"), fields ("pos.x"; after a
/// comma the next one), or step by step records and their fields ("monsters:", "monsters:42@1",
/// "monsters:42@1.pos.x"; of an edit with "=" at the end). The save is the first of `paths` that is
/// a file or a folder of files. Only words that no shell changes or obeys; no more than 200
/// records. Empty if the save cannot be read; nothing is printed.
[[nodiscard]] std::string file_words(FileWord kind, const std::string& begin,
                                     const std::vector<std::string>& paths);

}  // namespace hdb::inspect
