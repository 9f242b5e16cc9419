// The files of one demonstration, and the ticks at which they are written.
#pragma once

#include <cstdint>
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
  [[nodiscard]] std::string handles() const { return folder + "/handles.txt"; }
  [[nodiscard]] std::string frame_plot() const { return folder + "/frames.svg"; }
  [[nodiscard]] std::string trace() const { return folder + "/trace.txt"; }
};

/// Reads a whole file. Errors: its path and what went wrong.
[[nodiscard]] tl::expected<std::string, std::string> read_text(const std::string& path);
/// False when it could not be written.
[[nodiscard]] bool write_text(const std::string& path, const std::string& text);

/// Hashes of the ticks after the save, one line each, for the second process to compare with.
using Trace = std::vector<TickHashes>;
[[nodiscard]] std::string to_text(const Trace& trace);
[[nodiscard]] Trace parse_trace(const std::string& text);

}  // namespace demo
