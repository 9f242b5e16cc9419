// Where commands print: buffered standard output that ends quietly with its reader, colours, and
// messages on stderr.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hdb/error.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect {

/// What the exit status of every command means.
enum class ExitStatus : int {
  fine = 0,     ///< Fine, no difference, valid.
  finding = 1,  ///< Differ, invalid, not found.
  trouble = 2,  ///< Usage, I/O, damaged input where a sound one is needed, a limit.
  newer = 3,    ///< A newer reader is needed.
};

/// The worse of two, in the order trouble, newer, finding, fine.
[[nodiscard]] constexpr ExitStatus worse(ExitStatus a, ExitStatus b) noexcept {
  constexpr int kRank[] = {0, 1, 3, 2};
  return kRank[static_cast<int>(a)] >= kRank[static_cast<int>(b)] ? a : b;
}

/// The status of a command that needs a sound file and met `error`.
[[nodiscard]] ExitStatus status_of(const Error& error) noexcept;

/// A choice of --color, --pager and --progress.
enum class When : std::uint8_t { automatic, always, never };

/// The options that every command takes.
struct Globals {
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  bool verify = false;
  bool full = false;
  When color = When::automatic;
  When pager = When::automatic;
};

/// How much of one value is shown, for value_text and value_json. What reads JSON rarely expects a
/// value that is cut.
[[nodiscard]] constexpr std::uint64_t max_value_bytes(const Globals& globals, bool json) noexcept {
  if (globals.full) return ~std::uint64_t{0};
  return json ? std::uint64_t{1} << 20 : std::uint64_t{4} << 10;
}

/// What a piece of text is; decides its colour.
enum class Style : std::uint8_t { heading, added, removed, changed, bad };

/// Whether to colour what goes to descriptor `fd`: the flag, else NO_COLOR, TERM and whether it is
/// a terminal.
[[nodiscard]] bool wants_color(When mode, int fd);

/// Standard output. A reader that goes away (`| head`) makes `closed()` true; the rest is dropped.
/// What is longer than the screen goes to a pager, and so do messages from then on.
class Output {
 public:
  Output(int fd, bool color, When pager = When::never);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  void line(std::string_view text) {
    write(text);
    write("\n");
  }
  /// A line, formatted.
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    line(fmt::format(format, std::forward<Args>(args)...));
  }
  /// The text in the colour of `style`, where colours are wanted.
  [[nodiscard]] std::string paint(Style style, std::string_view text) const;
  /// Whether writing more is useless, for nobody reads it or the run is interrupted: commands stop
  /// early.
  [[nodiscard]] bool closed() const noexcept;
  /// Columns of the terminal that it is; very many where it is none.
  [[nodiscard]] std::size_t columns() const;
  void flush();
  /// From now on no pager is started: for lines that appear as something happens.
  void never_page() noexcept { pager_ = When::never; }
  /// A message that the terminal shows already: a pager that is started later shows it again.
  void remember(std::string_view message);
  /// Writes the rest and waits for the pager. Errors: io_failed, disk_full; a closed pipe is none.
  [[nodiscard]] Status finish();

 private:
  static constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
  static constexpr std::size_t kPagedBytes = std::size_t{4} << 10;  // somebody waits for them
  void add(std::string_view text);
  [[nodiscard]] bool needs_pager() const;
  void choose_pager();

  int fd_;
  bool color_;
  When pager_;                     // never: also once it is decided
  std::size_t paged_columns_ = 0;  // of the terminal before the pager; 0: there is none
  // While it is undecided, the buffer holds all from the beginning.
  std::size_t shown_ = 0;  // bytes of the buffer that the terminal has
  std::size_t rows_ = 0;   // that the buffer takes on the terminal
  std::size_t column_ = 0;
  bool in_escape_ = false;
  bool closed_ = false;
  int errno_ = 0;
  std::string buffer_;
};

/// Messages on standard error: what happened, where, what next; with --json, an object a line.
class Messages {
 public:
  /// What `out` holds is written before any message, so that both stay in order on one terminal.
  /// Requires: `globals` outlives the messages.
  explicit Messages(const Globals& globals, Output* out = nullptr) : globals_(globals), out_(out) {}
  /// Prints an error and returns the exit status that it asks for. `next` is what to do; empty:
  /// what `next_step_of` says.
  ExitStatus error(const Error& error, std::string_view next = {}) const;
  /// Prints a mistake in the command line; `list` are lines to choose from.
  ExitStatus usage(std::string_view what, std::string_view next, std::string_view list = {}) const;
  /// Prints a remark, unless -q is given.
  void note(std::string_view text) const;

 private:
  void print(std::string_view text) const;

  const Globals& globals_;
  Output* out_;
};

/// Adds the members of an error: id, name, offset, in, what.
JsonObject& add_error(const Error& error, JsonObject& object);

/// What the user of hdbinspect can do about an error: the code's own next step, unless that is for
/// programmers.
[[nodiscard]] std::string next_step_of(const Error& error);
/// From now on, files with absolute paths are copies that git deletes: next_step_of says how to get
/// one that stays.
void take_files_of_git() noexcept;

}  // namespace hdb::inspect
