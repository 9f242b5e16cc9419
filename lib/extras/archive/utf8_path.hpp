// Paths of std::filesystem for the texts that name archives.
#pragma once

#include <exception>
#include <filesystem>
#include <string>

namespace hdb::detail {

/// The path of a text in UTF-8. (A path made of a std::string takes the code page of Windows
/// instead.) On Windows, empty if the text is not UTF-8: such a file does not exist.
[[nodiscard]] inline std::filesystem::path path_of_utf8(const std::string& text) {
  try {
    return std::u8string(text.begin(), text.end());
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace hdb::detail
