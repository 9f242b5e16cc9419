// Buffered output on a descriptor, colours, messages.
#include "output.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include <fmt/format.h>

#include "text.hpp"

namespace hdb::inspect {
namespace {

std::string_view color_of(Style style) noexcept {
  switch (style) {
    case Style::plain: return "";
    case Style::heading: return "\x1b[1m";
    case Style::added: return "\x1b[32m";
    case Style::removed: return "\x1b[31m";
    case Style::changed: return "\x1b[33m";
    case Style::faint: return "\x1b[2m";
    case Style::bad: return "\x1b[1;31m";
  }
  return "";
}

// Standard error is written whole and at once; a failure there cannot be told to anyone.
void write_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

bool wants_color(ColorMode mode, int fd) {
  if (mode != ColorMode::automatic) return mode == ColorMode::always;
  const char* const no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* const term = std::getenv("TERM");
  if (term == nullptr || std::strcmp(term, "dumb") == 0) return false;
  return ::isatty(fd) == 1;
}

void Output::write(std::string_view text) {
  if (closed_) return;
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

std::string Output::paint(Style style, std::string_view text) const {
  if (!color_ || style == Style::plain || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", color_of(style), text);
}

void Output::flush() {
  std::string_view left = buffer_;
  while (!left.empty() && !closed_) {
    const ssize_t written = ::write(fd_, left.data(), left.size());
    if (written >= 0) {
      left.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      closed_ = true;
      errno_ = errno;
    }
  }
  buffer_.clear();
}

Status Output::finish() {
  flush();
  if (errno_ == 0 || errno_ == EPIPE) return {};
  const ErrorCode code = errno_ == ENOSPC ? ErrorCode::disk_full : ErrorCode::io_failed;
  return fail(code, fmt::format("cannot write: {}", std::strerror(errno_)), "standard output");
}

ExitStatus Messages::error(const Error& error) const {
  std::string text = "hdbinspect: ";
  if (!error.file.empty()) text += escape_text(error.file) + ": ";
  // What was asked for does not exist, or was asked in a wrong way: the particulars say it all.
  const bool particulars = category_of(error.code) == ErrorCategory::usage && !error.what.empty();
  const std::string where = error.where.empty() ? std::string() : " (" + error.where + ")";
  const std::string message = particulars ? error.what + where : error.message();
  text += fmt::format("{} {}\n", code_id(error.code), escape_text(message));
  if (const auto next = code_next_step(error.code); !next.empty()) {
    text += fmt::format("  next    {}\n", next);
  }
  write_error(text);
  return status_of(error);
}

ExitStatus Messages::usage(std::string_view what, std::string_view next) const {
  write_error(fmt::format("hdbinspect: {}\n  next    {}\n", escape_text(what), escape_text(next)));
  return ExitStatus::trouble;
}

void Messages::note(std::string_view text) const {
  if (!quiet_) write_error(fmt::format("hdbinspect: {}\n", escape_text(text)));
}

}  // namespace hdb::inspect
