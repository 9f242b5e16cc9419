// The files of one demonstration, and the ticks at which they are written.
#pragma once

#include <cereal/archives/json.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "world_hash.hpp"

namespace demo {

inline constexpr std::uint32_t kSaveTick = 300;
inline constexpr std::uint32_t kEndTick = 600;
/// From kEndTick to here the game goes on in the next map.
inline constexpr std::uint32_t kLastTick = 660;

/// Names of the files in the folder of a demonstration.
struct Files {
  std::string folder;

  [[nodiscard]] std::string save() const { return folder + "/tick300.hdb"; }
  [[nodiscard]] std::string sorted_save() const { return folder + "/tick300-sorted.hdb"; }
  [[nodiscard]] std::string end() const { return folder + "/tick600.hdb"; }
  [[nodiscard]] std::string resumed_end() const { return folder + "/tick600-resumed.hdb"; }
  [[nodiscard]] std::string handles() const { return folder + "/handles.json"; }
  [[nodiscard]] std::string frame_plot() const { return folder + "/frames.svg"; }
  [[nodiscard]] std::string trace() const { return folder + "/trace.json"; }
};

/// Reads a whole file. Errors: its path and what went wrong.
[[nodiscard]] tl::expected<std::string, std::string> read_text(const std::string& path);
/// False when it could not be written.
[[nodiscard]] bool write_text(const std::string& path, const std::string& text);

/// Hashes of the ticks after the save, for the second process to compare with.
using Trace = std::vector<TickHashes>;

/// A value as JSON, by cereal and without hdb: what one process writes for the other.
template <class T>
[[nodiscard]] std::string to_json(const T& value) {
  std::ostringstream text;
  {
    cereal::JSONOutputArchive archive(text, cereal::JSONOutputArchive::Options::NoIndent());
    archive(cereal::make_nvp("value", value));
  }
  return text.str() + '\n';
}
/// The value of such a text. Errors: what the text lacks.
template <class T>
[[nodiscard]] tl::expected<T, std::string> from_json(const std::string& text) {
  try {
    T value;
    std::istringstream in(text);
    cereal::JSONInputArchive archive(in);
    archive(cereal::make_nvp("value", value));
    return value;
  } catch (const std::exception& error) {
    return tl::unexpected<std::string>(error.what());
  }
}

}  // namespace demo
