// Player's texts to file names that every file system takes and keeps apart, and back.
#include "database/save/save_names.hpp"

#include <algorithm>
#include <charconv>

#include "hdb/bytes.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {
namespace {

constexpr std::string_view kNamed = "slot-";
constexpr std::string_view kEnd = ".hdb";
constexpr std::size_t kLongestName = 60;
constexpr std::string_view kHex = "0123456789abcdef";
// What some file system refuses in a name, and '~'; each is written as '~' and a letter. None of
// the letters is a hexadecimal digit: that was the form of names before.
constexpr std::string_view kEscaped = "~/\\:*?\"<>|";
constexpr std::string_view kLetters = "tsrkxwqlgp";
static_assert(kEscaped.size() == kLetters.size());
// Ends names that a file system may take for others: because it ignores case, or takes letters of
// other alphabets for equal. It also ends names that look as if a cloud client had renamed a save:
// "gate (1)". A hash of the name follows.
constexpr std::string_view kMark = "~~";
constexpr std::string_view kMarkDigits = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::size_t kMarkBytes = kMark.size() + 8;
// With ".1000" of a backup, the shortest limit known (eCryptfs). A marked name has a byte that
// takes one byte.
static_assert(kNamed.size() + 2 * (kLongestName - 1) + 1 + kMarkBytes + kEnd.size() + 5 <= 143);

bool needs_mark(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80 || c == '(' || c == '[';
  });
}

std::string mark_of(std::string_view name) {
  std::string mark(kMark);
  std::uint64_t hash = hash64(bytes_of(name));
  for (; mark.size() < kMarkBytes; hash >>= 5) mark.push_back(kMarkDigits[hash & 31]);
  return mark;
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

// Takes file names of now, without a mark; any text has a result.
std::string decoded(std::string_view text) {
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto letter =
        text[i] == '~' && i + 1 < text.size() ? kLetters.find(text[i + 1]) : kLetters.npos;
    name.push_back(letter == kLetters.npos ? text[i] : kEscaped[letter]);
    if (letter != kLetters.npos) ++i;
  }
  return name;
}

// As above, of former names.
std::string decoded_former(std::string_view text) {
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
  std::string fault = name.size() > kLongestName
                          ? "the name is longer than " + std::to_string(kLongestName) + " bytes"
                          : find_name_fault(name);
  if (fault.empty()) return {};
  return fail(ErrorCode::bad_name, std::move(fault), "the name of a save");
}

std::string named_file(std::string_view name) {
  std::string file(kNamed);
  for (const char c : name) {
    const auto escape = kEscaped.find(c);
    if (escape == kEscaped.npos) {
      file.push_back(c);
    } else {
      file.append({'~', kLetters[escape]});
    }
  }
  if (needs_mark(name)) file += mark_of(name);
  return file.append(kEnd);
}

std::string former_named_file(std::string_view name) {
  std::string file(kNamed);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_') {
      file.push_back(c);
    } else {
      file.append({'~', kHex[byte / 16], kHex[byte % 16]});
    }
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
  const std::string_view text = stem.substr(kNamed.size());
  const bool has_mark = needs_mark(text) && text.size() > kMarkBytes;
  parsed.name = decoded(has_mark ? text.substr(0, text.size() - kMarkBytes) : text);
  // Only what this file would have written: another spelling of the name is another program's file.
  const auto is_own = [&](std::string (*written)(std::string_view)) {
    return check_save_name(parsed.name) &&
           written(parsed.name) == file.substr(0, end + kEnd.size());
  };
  if (is_own(named_file)) return parsed;
  parsed.name = decoded_former(text);
  if (is_own(former_named_file)) return parsed;
  return std::nullopt;
}

bool is_renamed_copy(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  if (dot == file.npos || parse_save_file(file)) return false;
  for (std::size_t i = 1; i < dot; ++i) {
    const std::string_view inserted = file.substr(i, dot - i);
    const bool is_usual = std::string_view(" ([-_").find(inserted.front()) != inserted.npos ||
                          inserted.starts_with(".sync-conflict-") ||
                          inserted.starts_with(".conflict");
    if (is_usual && parse_save_file(std::string(file.substr(0, i)).append(file.substr(dot))))
      return true;
  }
  return false;
}

}  // namespace hdb
