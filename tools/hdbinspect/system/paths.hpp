// Paths of std::filesystem, made of the texts that hdbinspect has for paths, and back.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hdb::inspect {

/// The path of a text, which is UTF-8 on Windows and the bytes of the name elsewhere. (A path made
/// of a std::string takes the code page of Windows instead.) Bytes that are not UTF-8 become
/// U+FFFD on Windows; the library then refuses the text itself with `bad_path`.
[[nodiscard]] std::filesystem::path utf8_path(std::string_view text);

/// The text of a path: what utf8_path makes a path of, and what all calls of the library take. Half
/// a surrogate pair in a name of Windows becomes U+FFFD.
[[nodiscard]] std::string utf8_text(const std::filesystem::path& path);

}  // namespace hdb::inspect
