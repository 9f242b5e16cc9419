// Buffered output on a descriptor, the choice of a pager, colours, messages.
#include "output.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "hdb/archive.hpp"
#include "input.hpp"
#include "interface/layout.hpp"
#include "memory_limit.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "system/paths.hpp"
#include "system/system.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

std::string_view color_of(Style style) noexcept {
  switch (style) {
    case Style::heading: return "\x1b[1m";
    case Style::added: return "\x1b[32m";
    case Style::removed: return "\x1b[31m";
    case Style::changed: return "\x1b[33m";
    case Style::bad: return "\x1b[1;31m";
  }
  return "";
}

bool files_are_of_git = false;

// Standard error is written whole and at once; a failure there cannot be reported.
void write_error(std::string_view text) {
  while (!text.empty()) {
    const std::ptrdiff_t written = write_stream(kStandardError, text);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// What the user chose, for the shell; empty: none.
std::string pager_command() {
  for (const char* const name : {"HDB_PAGER", "PAGER"}) {
    if (const char* const chosen = std::getenv(name); chosen != nullptr)
      return chosen == std::string_view("cat") ? std::string() : chosen;
  }
  return "command -v less >/dev/null || exec cat\nless";
}

}  // namespace

ExitStatus status_of(const Error& error) noexcept {
  return category_of(error.code) == ErrorCategory::newer ? ExitStatus::newer : ExitStatus::trouble;
}

bool wants_color(When mode, int fd) {
  if (mode != When::automatic) return mode == When::always;
  const char* const no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return is_capable_terminal(fd);
}

Output::Output(int fd, bool color, When pager) : fd_(fd), color_(color), pager_(pager) {
  if (pager_ == When::automatic && !is_capable_terminal(fd)) never_page();
  buffer_.reserve(kBufferBytes);
}

Output::~Output() {
  flush();
  end_pager();
}

std::size_t Output::columns() const {
  if (paged_columns_ != 0) return paged_columns_;
  return terminal_columns(fd_, std::numeric_limits<std::size_t>::max());
}

bool Output::closed() const noexcept { return closed_ || interrupted() != 0; }

void Output::write(std::string_view text) {
  if (closed()) return;
  add(text);
  const std::size_t most = paged_columns_ != 0 ? kPagedBytes : kBufferBytes;
  if (buffer_.size() >= most || needs_pager()) flush();
}

void Output::remember(std::string_view message) {
  if (pager_ == When::never || !is_terminal(kStandardError)) return;
  add(message);
  shown_ = buffer_.size();
}

// Counts rows as a terminal wraps lines; colours take no room.
void Output::add(std::string_view text) {
  buffer_ += text;
  if (pager_ == When::never) return;
  const std::size_t width = columns();
  for (const char c : text) {
    if (c == '\x1b' || in_escape_) {
      in_escape_ = c != 'm';
    } else if (c == '\n') {
      ++rows_;
      column_ = 0;
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80 && ++column_ > width) {
      ++rows_;
      column_ = 1;
    }
  }
}

bool Output::needs_pager() const {
  if (buffer_.size() == shown_ || closed()) return false;
  // The last row is that of the prompt.
  return pager_ == When::always || (pager_ == When::automatic && rows_ >= terminal_rows(fd_));
}

void Output::choose_pager() {
  if (!needs_pager()) return;
  never_page();
  const std::string command = pager_command();
  const std::size_t width = columns();
  if (command.empty()) return;
  if (is_terminal(kStandardError)) end_progress();
  if (!start_pager(command)) return;
  paged_columns_ = width;
  shown_ = 0;
}

std::string Output::paint(Style style, std::string_view text) const {
  if (!color_ || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", color_of(style), text);
}

void Output::flush() {
  choose_pager();
  std::string_view left = std::string_view(buffer_).substr(shown_);
  if (!left.empty() && is_terminal(fd_)) hide_progress();
  while (!left.empty() && !closed()) {
    const std::ptrdiff_t written = write_stream(fd_, left);
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      closed_ = true;
      errno_ = errno;
    }
  }
  shown_ = buffer_.size();
  if (pager_ != When::never) return;
  buffer_.clear();
  shown_ = 0;
}

Status Output::finish() {
  flush();
  never_page();
  end_pager();
  paged_columns_ = 0;
  if (errno_ == 0 || errno_ == EPIPE) return {};
  const ErrorCode code = errno_ == ENOSPC ? ErrorCode::disk_full : ErrorCode::io_failed;
  return fail(code, fmt::format("cannot write: {}", std::strerror(errno_)), "standard output");
}

JsonObject& add_error(const Error& error, JsonObject& object) {
  object.text("id", code_id(error.code)).text("name", code_name(error.code));
  if (error.offset != kNoOffset) object.number("offset", error.offset);
  object.text("in", error.where);
  return object.text("what", error.what.empty() ? code_text(error.code) : error.what);
}

std::string next_step_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::limit_exceeded:
    case ErrorCode::memory_budget:
      if (error.where == kSpoolPlace)
        return "save the input to a file and give the path of that file";
      if (is_memory_short() || (memory_limit() != 0 && error.code == ErrorCode::memory_budget))
        return "give a --max-memory larger than " + memory_limit_text();
      if (are_limits_raised()) return "load a backup: no file may exceed this limit";
      return "give --no-limits if you trust the file";
    case ErrorCode::bad_options:
      if (error.what.starts_with("standard input"))
        return "give - for only one file, and paths for the others";
      if (error.what.starts_with("the sequence number")) return "give a lower one with --number";
      break;
    case ErrorCode::not_regular:
      if (error.what.ends_with("folder")) break;
      return "give the path of a file, or pipe the data in and give -";
    case ErrorCode::io_failed:
      if (error.where == kSpoolPlace)
        return "save the input to a file and give the path of that file";
      break;
    case ErrorCode::not_found:
      if (!error.what.starts_with("no table") || error.file.empty()) break;
      if (error.file == shown_name("-")) break;
      return "hdbinspect ls " + typed_path(error.file);
    case ErrorCode::bad_name:
      if (!error.what.starts_with("pattern")) break;
      return "put a backslash before a character to use it literally";
    case ErrorCode::value_out_of_range:
      if (!error.what.ends_with("(LoadOptions::unknown_values)")) break;
      return "hdbinspect convert --unknown-values=default or =drop, if such values may go";
    case ErrorCode::disk_full: return "free some space and try again";
    case ErrorCode::version_exists: return "give another --number or another --world";
    case ErrorCode::not_an_archive:
      if (error.what.ends_with("its first page is damaged"))
        return "give an archive; if the file was one, use a copy of it";
      if (!is_archive_url(error.file)) break;
      return "check the database and the search_path of the URL; hdbinspect archive put makes a "
             "new "
             "archive";
    case ErrorCode::bad_archive:
      if (error.what.ends_with("nothing can be read")) return "use a copy of the archive";
      if (error.what.find("restore the table") == std::string::npos) break;
      return "see the last part of the message; no other command can open the archive until then";
    default: break;
  }
  std::string next(code_next_step(error.code));
  if (error.file.empty() || error.file == shown_name("-")) return next;
  if (files_are_of_git && utf8_path(error.file).is_absolute()) {
    const bool needs_file = next.find("FILE") != std::string::npos;
    return needs_file ? "get it by git show COMMIT:PATH > FILE; then " + next : next;
  }
  const auto fill = [&next](std::string_view command, const std::string& filled) {
    const std::size_t at = next.find(command);
    if (at != std::string::npos) next.replace(at, command.size(), filled);
  };
  const std::string file = typed_path(error.file);
  if (error.code == ErrorCode::old_draft) fill("dump --exact FILE", "dump --exact " + file);
  fill("hdbinspect validate FILE", "hdbinspect validate " + file);
  fill("hdbinspect repair FILE -o OUT",
       "hdbinspect repair " + file + " -o " + typed_path(repaired_name(error.file)));
  return next;
}

void take_files_of_git() noexcept { files_are_of_git = true; }

void Messages::print(std::string_view text) const {
  if (interrupted() != 0) return;  // the user interrupted it and knows why it ends
  if (out_ != nullptr) out_->flush();
  hide_progress();
  write_error(text);
  if (out_ != nullptr) out_->remember(text);
}

ExitStatus Messages::error(const Error& error, std::string_view next) const {
  const std::string step = next.empty() ? next_step_of(error) : std::string(next);
  if (globals_.json) {
    JsonObject object("error");
    if (!error.file.empty()) object.text("file", json_name(error.file));
    add_error(error, object);
    if (!step.empty()) object.text("next", step);
    print(object.str() + '\n');
    return status_of(error);
  }
  std::string text = "hdbinspect: ";
  if (!error.file.empty()) text += printable_text(error.file) + ": ";
  // What was asked for does not exist, or was asked in a wrong way: the particulars say it all.
  const bool particulars = category_of(error.code) == ErrorCategory::usage && !error.what.empty();
  const std::string where = error.where.empty() ? std::string() : " (" + error.where + ")";
  Error without_file = error;
  without_file.file.clear();
  const std::string message = particulars ? error.what + where : without_file.message();
  text += fmt::format("{} {}\n", code_id(error.code), printable_text(message));
  if (!step.empty()) text += fmt::format("  next    {}\n", printable_text(step));
  print(text);
  return status_of(error);
}

ExitStatus Messages::usage(std::string_view what, std::string_view next,
                           std::string_view list) const {
  if (globals_.json) {
    JsonObject object("error");
    object.text("what", what);
    if (!list.empty()) object.text("list", list);
    print(object.text("next", next).str() + '\n');
  } else {
    print(fmt::format("hdbinspect: {}\n{}  next    {}\n", printable_text(what), list,
                      printable_text(next)));
  }
  return ExitStatus::trouble;
}

void Messages::note(std::string_view text) const {
  if (globals_.quiet) return;
  print(globals_.json ? JsonObject("note").text("text", text).str() + '\n'
                      : fmt::format("hdbinspect: {}\n", printable_text(text)));
}

}  // namespace hdb::inspect
