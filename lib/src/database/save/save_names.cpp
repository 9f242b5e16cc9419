// Player's texts to file names that every file system takes and keeps apart, and back.
#include "database/save/save_names.hpp"

#include <algorithm>
#include <charconv>

#include "hdb/bytes.hpp"

namespace hdb {
namespace {

constexpr std::string_view kNamed = "slot-";
constexpr std::string_view kEnd = ".hdb";
constexpr std::size_t kLongestName =
    60;  // 180 bytes as a file's name: the shortest limit known is 255
constexpr std::string_view kHex = "0123456789abcdef";

bool needs_no_escape(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::string_view ring_start(SaveKind kind) noexcept {
  return kind == SaveKind::quick ? "quick-" : "auto-";
}

// A number as this file writes it: no sign, no zero in front.
std::optional<unsigned> parse_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) return std::nullopt;
  if (std::to_string(number) != text) return std::nullopt;
  return number;
}

std::string decoded(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto high = text[i] == '~' && i + 2 < text.size() ? kHex.find(text[i + 1]) : kHex.npos;
    const auto low = high != kHex.npos ? kHex.find(text[i + 2]) : kHex.npos;
    if (low == kHex.npos) {
      name.push_back(text[i]);
      continue;
    }
    name.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return name;
}

}  // namespace

Status check_save_name(std::string_view name) {
  const auto refused = [](const char* why) {
    return fail(ErrorCode::bad_name, why, "the name of a save");
  };
  if (name.empty()) return refused("the name is empty");
  if (name.size() > kLongestName) return refused("the name is longer than 60 bytes");
  if (!is_utf8(name)) return refused("the name is not UTF-8");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control))
    return refused("the name has a control character");
  return {};
}

std::string named_file(std::string_view name) {
  std::string file(kNamed);
  for (const char c : name) {
    if (needs_no_escape(c)) {
      file.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    file.append({'~', kHex[byte / 16], kHex[byte % 16]});
  }
  return file.append(kEnd);
}

std::string ring_file(SaveKind kind, unsigned number) {
  return std::string(ring_start(kind)).append(std::to_string(number)).append(kEnd);
}

std::optional<SaveFileName> parse_save_file(std::string_view file) {
  SaveFileName parsed;
  const std::size_t end = file.rfind(kEnd);
  if (end == file.npos) return std::nullopt;
  std::string_view rest = file.substr(end + kEnd.size());
  if (!rest.empty()) {
    const auto backup = rest.front() == '.' ? parse_number(rest.substr(1)) : std::nullopt;
    if (!backup) return std::nullopt;
    parsed.backup = *backup;
  }
  const std::string_view stem = file.substr(0, end);
  for (const SaveKind kind : {SaveKind::quick, SaveKind::autosave}) {
    if (!stem.starts_with(ring_start(kind))) continue;
    const std::string_view number = stem.substr(ring_start(kind).size());
    if (!parse_number(number)) return std::nullopt;
    parsed.kind = kind;
    parsed.name = number;
    return parsed;
  }
  if (!stem.starts_with(kNamed)) return std::nullopt;
  parsed.name = decoded(stem.substr(kNamed.size()));
  // Only what this file would have written: another spelling of the name is another program's file.
  if (!check_save_name(parsed.name) ||
      named_file(parsed.name) != file.substr(0, end + kEnd.size())) {
    return std::nullopt;
  }
  return parsed;
}

}  // namespace hdb
