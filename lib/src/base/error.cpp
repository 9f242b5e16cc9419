// The texts of all errors (from error_codes.def) and how they are put together.
#include "hdb/error.hpp"

#include <algorithm>
#include <array>

#include "hdb/detail/base/or_end.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

struct Entry {
  ErrorCode code;
  std::string_view name;
  ErrorCategory category;
  std::string_view text;
  std::string_view next;
};

constexpr std::array kEntries{
#define HDB_ERROR(name, number, category, text, next) \
  Entry{ErrorCode::name, #name, ErrorCategory::category, text, next},
#include "hdb/error_codes.def"
#undef HDB_ERROR
};

// Each number is greater than the one before it, and is in one of the bands 01xx to 10xx.
template <std::size_t N>
constexpr bool numbers_rise(const std::array<Entry, N>& entries) {
  unsigned last = 100;
  for (const Entry& entry : entries) {
    const auto number = static_cast<unsigned>(entry.code);
    if (number <= last || number > 1099 || number % 100 == 0) return false;
    last = number;
  }
  return true;
}
static_assert(numbers_rise(kEntries), "error_codes.def: numbers must rise");

// The check itself, in each band: a number that comes twice, and one that falls.
constexpr bool finds_disorder() {
  for (unsigned band = 100; band < 1100; band += 100) {
    std::array<Entry, 2> two{};
    two[0].code = static_cast<ErrorCode>(band + 2);
    for (const unsigned second : {band + 1, band + 2}) {
      two[1].code = static_cast<ErrorCode>(second);
      if (numbers_rise(two)) return false;
    }
    two[1].code = static_cast<ErrorCode>(band + 3);
    if (!numbers_rise(two)) return false;
  }
  return true;
}
static_assert(finds_disorder());

const Entry* find_entry(ErrorCode code) noexcept {
  const auto it = std::find_if(kEntries.begin(), kEntries.end(),
                               [code](const Entry& entry) { return entry.code == code; });
  return it == kEntries.end() ? nullptr : &*it;
}

}  // namespace

Error::Error() = default;
Error::Error(ErrorCode error_code, std::string what_failed, std::uint64_t byte_offset,
             std::string place, std::string path)
    : code(error_code),
      what(std::move(what_failed)),
      offset(byte_offset),
      where(std::move(place)),
      file(std::move(path)) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

std::string Error::message() const { return printable_text(raw_message()); }

std::string Error::raw_message() const {
  std::string text = file.empty() ? std::string() : file + ": ";
  text += category_name(category_of(code));
  text += ": ";
  text += what.empty() ? std::string(code_text(code)) : what;
  if (offset == kNoOffset && where.empty()) return text;
  text += " (";
  if (offset != kNoOffset) text += "byte " + std::to_string(offset);
  if (offset != kNoOffset && !where.empty()) text += ", ";
  text += where;
  text += ')';
  return text;
}

Error Error::in(std::string_view outer) && {
  if (where.empty()) {
    where = outer;
  } else {
    where += " of ";
    where += outer;
  }
  return std::move(*this);
}

std::string code_id(ErrorCode code) {
  std::string digits = std::to_string(static_cast<unsigned>(code));
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return "HDB-E" + digits;
}

std::string_view code_name(ErrorCode code) noexcept {
  const Entry* entry = find_entry(code);
  return entry ? entry->name : std::string_view{};
}

std::string_view code_text(ErrorCode code) noexcept {
  const Entry* entry = find_entry(code);
  return entry ? entry->text : "unknown error";
}

std::string_view code_next_step(ErrorCode code) noexcept {
  const Entry* entry = find_entry(code);
  return entry ? entry->next : std::string_view{};
}

ErrorCategory category_of(ErrorCode code) noexcept {
  const Entry* entry = find_entry(code);
  return entry ? entry->category : ErrorCategory::usage;
}

std::string_view category_name(ErrorCategory category) noexcept {
  switch (category) {
    case ErrorCategory::corrupt: return "corrupt";
    case ErrorCategory::newer: return "unsupported";
    case ErrorCategory::limit: return "limit";
    case ErrorCategory::io: return "i/o";
    case ErrorCategory::busy: return "busy";
    case ErrorCategory::cancelled: return "cancelled";
    case ErrorCategory::mismatch: return "mismatch";
    case ErrorCategory::usage: return "usage";
  }
  return "error";
}

const std::vector<ErrorCode>& all_error_codes() {
  static const std::vector<ErrorCode> codes = [] {
    std::vector<ErrorCode> list;
    for (const Entry& entry : kEntries) list.push_back(entry.code);
    return list;
  }();
  return codes;
}

tl::unexpected<Error> fail(ErrorCode code, std::string what, std::string where,
                           std::uint64_t offset) {
  return tl::unexpected<Error>(Error(code, std::move(what), offset, std::move(where)));
}
tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

void detail::end_on_error(const Status& status) {
  if (!status) fatal(status.error().message().c_str(), __FILE__, __LINE__);
}

}  // namespace hdb
