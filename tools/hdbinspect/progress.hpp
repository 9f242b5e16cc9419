// A bar on standard error for work that takes a while; it is gone when the work is done.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hdb/io.hpp"
#include "output.hpp"

namespace hdb::inspect {

/// Whether bars are shown in this run. automatic: on a terminal that is not dumb, after half a
/// second, unless `quiet`.
void set_progress_mode(When mode, bool quiet);

/// Shows how far the work is while it lives: all that is read through sources of open_source, and
/// what `advance` adds. One at a time; a second one inside of it shows nothing. `advance` may be
/// called from several threads.
///
///   const ProgressScope progress("validate", "slot1.hdb");
class ProgressScope {
 public:
  /// `passes`: how often the command reads its input.
  explicit ProgressScope(std::string_view verb, std::string_view name, unsigned passes = 1);
  ~ProgressScope();
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;

  void advance(std::uint64_t bytes);

 private:
  bool outer_ = false;
};

/// Takes the bar away until it is drawn again: call it before writing to the terminal.
void hide_progress() noexcept;

/// Takes the bar away for the rest of the run: standard error shows something else.
void end_progress() noexcept;

/// The source, such that what is read is shown, and that reading ends with `cancelled` once
/// interrupted() is set. Each part of the file counts as often as ProgressScope's `passes`, however
/// often it is read.
[[nodiscard]] std::unique_ptr<ByteSource> watched(std::unique_ptr<ByteSource> source);

/// What a bar shows.
struct ProgressState {
  std::string_view verb;
  std::string_view name;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  double seconds = 0;  ///< Since the work began.
};

/// The bar in at most `width` columns: a wider bar shows more.
[[nodiscard]] std::string progress_text(const ProgressState& state, std::size_t width);

}  // namespace hdb::inspect
