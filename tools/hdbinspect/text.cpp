// Padding, sizes and shell words of plain text.
#include "text.hpp"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utf8proc.h>

#include "interface/layout.hpp"

namespace hdb::inspect {
namespace {

// $'...': what a terminal would not show, as octal numbers of its bytes.
std::string escaped_word(std::string_view text) {
  std::string word = "$'";
  while (!text.empty()) {
    std::size_t size = 0;
    std::uint32_t code = 0;
    const bool is_text = take_code_point(text, size, code);
    for (const char c : text.substr(0, size)) {
      if (!is_text || is_unsafe(code)) {
        word += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      } else {
        if (c == '\\' || c == '\'') word += '\\';
        word += c;
      }
    }
    text.remove_prefix(size);
  }
  return word + '\'';
}

}  // namespace

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:@+,%=").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  if (printable_text(text) != text) return escaped_word(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  return word + '\'';
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < count ? std::to_integer<unsigned>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
  constexpr std::array<std::string_view, 5> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (size >= 1023.95 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string date_text(std::int64_t unix_ms) {
  const std::int64_t seconds = unix_ms / 1000 - (unix_ms % 1000 < 0 ? 1 : 0);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string duration_text(std::uint64_t ms) {
  const std::uint64_t seconds = ms / 1000;
  if (seconds < 60) return fmt::format("{}.{:03} s", seconds, ms % 1000);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min {} s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string count_text(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::size_t display_width(std::string_view text) noexcept {
  std::size_t width = 0;
  while (!text.empty()) {
    utf8proc_int32_t character = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &character);
    if (length <= 0) {
      ++width;
      text.remove_prefix(1);
      continue;
    }
    width += static_cast<std::size_t>(std::max(0, utf8proc_charwidth(character)));
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return width;
}

std::string cut_text(std::string_view text, std::size_t width) {
  std::size_t columns = 0;
  std::size_t kept = 0;  // bytes that leave room for the dots
  for (std::size_t at = 0; at < text.size();) {
    std::size_t next = at + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80) ++next;
    columns += display_width(text.substr(at, next - at));
    if (columns > width) return std::string(text.substr(0, kept)) + "...";
    at = next;
    if (columns + 3 <= width) kept = at;
  }
  return std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t shown = display_width(text);
  if (shown < width) out.append(width - shown, ' ');
  return out;
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t shown = display_width(text);
  return std::string(shown < width ? width - shown : 0, ' ') + std::string(text);
}

std::string TextTable::fitted(std::size_t width) const {
  const std::vector<std::size_t> widths = column_widths();
  std::size_t last = 0;  // where the last column begins
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) last += widths[i] + 2;
  if (rows_.empty() || last + widths.back() <= width) return text(0);
  std::string out;
  if (!right_aligned_.back() && last + kLeastColumn <= width) {
    for (const auto& row : rows_)
      out += wrapped(cells(row, widths, row.size() - 1), row.back(), last, width);
    return out;
  }
  const std::vector<std::string>& names = rows_.front();
  std::size_t name_width = 0;
  for (std::size_t i = 1; i < names.size(); ++i)
    name_width = std::max(name_width, display_width(names[i]));
  for (std::size_t row = 1; row < rows_.size(); ++row) {
    out += wrapped("", rows_[row][0], 2, width);
    for (std::size_t i = 1; i < names.size(); ++i) {
      const std::size_t indent = 2 + name_width + 2;
      out += wrapped("  " + pad_right(names[i], name_width) + "  ", rows_[row][i], indent, width);
    }
  }
  return out;
}

std::string TextTable::text(std::size_t indent) const {
  const std::vector<std::size_t> widths = column_widths();
  std::string out;
  for (const auto& row : rows_) {
    std::string line = std::string(indent, ' ') + cells(row, widths, row.size());
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::vector<std::size_t> TextTable::column_widths() const {
  std::vector<std::size_t> widths(right_aligned_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

std::string TextTable::cells(const std::vector<std::string>& row,
                             const std::vector<std::size_t>& widths, std::size_t count) const {
  std::string line;
  for (std::size_t i = 0; i < count; ++i)
    line += (right_aligned_[i] ? pad_left(row[i], widths[i]) : pad_right(row[i], widths[i])) + "  ";
  return line;
}

std::string load_text(std::string_view summary) {
  constexpr std::string_view kBetween = "; ";
  std::string text = "  loads   ";
  for (std::size_t end = summary.find(kBetween); end != std::string_view::npos;
       end = summary.find(kBetween)) {
    text += summary.substr(0, end);
    text += "\n          ";
    summary.remove_prefix(end + kBetween.size());
  }
  return text += summary;
}

std::string_view image_type(std::span<const std::byte> bytes) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (text.starts_with("GIF8")) return "image/gif";
  if (text.starts_with("RIFF") && text.substr(0, 12).ends_with("WEBP")) return "image/webp";
  return {};
}

}  // namespace hdb::inspect
