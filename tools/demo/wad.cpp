// WAD files:
//
//   header     "IWAD" or "PWAD", u32 lump count, u32 offset of the directory
//   directory  for each lump: u32 offset, u32 size, char name[8]
#include "wad.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

namespace demo {
namespace {

constexpr std::uint64_t kEntryBytes = 16;
constexpr std::size_t kLumpsOfMap = 10;  // after its marker

}  // namespace

WadError::WadError(const std::string& lump, std::uint64_t byte, const std::string& what)
    : std::runtime_error(fmt::format("{}, byte {}: {}", lump, byte, what)) {}

std::string upper_case(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

std::span<const std::byte> LumpReader::take(std::uint64_t size_bytes) {
  if (remaining() < size_bytes) {
    fail(fmt::format("the lump ends too early, after {} bytes", bytes_.size()));
  }
  const auto taken =
      bytes_.subspan(static_cast<std::size_t>(position_), static_cast<std::size_t>(size_bytes));
  position_ += size_bytes;
  return taken;
}

std::uint64_t LumpReader::number(unsigned width) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  for (const std::byte byte : take(width)) {
    value |= std::to_integer<std::uint64_t>(byte) << shift;
    shift += 8;
  }
  return value;
}

std::string LumpReader::name8() {
  std::string name;
  for (const std::byte byte : take(8)) {
    if (byte == std::byte{0}) break;
    name.push_back(std::to_integer<char>(byte));
  }
  return upper_case(name);
}

void LumpReader::fail(const std::string& what, std::uint64_t back) const {
  throw WadError(name_, file_offset_ + position_ - back, what);
}

Wad::Wad(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
  LumpReader header("header", 0, bytes_);
  const std::string magic = header.name8().substr(0, 4);
  if (magic != "IWAD" && magic != "PWAD") {
    header.fail("the file is not a WAD: it starts with neither IWAD nor PWAD", 8);
  }
  header = LumpReader("header", 0, bytes_);
  header.skip(4);
  const std::uint64_t count = header.u32();
  const std::uint64_t directory_at = header.u32();
  const std::uint64_t size = bytes_.size();
  if (directory_at > size || count > (size - directory_at) / kEntryBytes) {
    header.fail(
        fmt::format("the directory of {} lumps at byte {} does not fit the file of {} bytes", count,
                    directory_at, size),
        8);
  }
  LumpReader directory("directory", 0, bytes_);
  directory.skip(directory_at);
  for (std::uint64_t i = 0; i < count; ++i) {
    Lump lump;
    lump.offset = directory.u32();
    lump.size_bytes = directory.u32();
    lump.name = directory.name8();
    if (lump.size_bytes == 0) lump.offset = 0;
    if (lump.offset > size || lump.size_bytes > size - lump.offset) {
      directory.fail(fmt::format("{} bytes of {} at byte {} reach beyond the end of the file",
                                 lump.size_bytes, lump.name, lump.offset),
                     kEntryBytes);
    }
    lumps_.push_back(std::move(lump));
  }
}

Wad Wad::open(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) throw std::runtime_error(path + ": cannot be read");
  std::vector<std::byte> bytes(text.size());
  std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return std::byte(c); });
  try {
    return Wad(std::move(bytes));
  } catch (const WadError& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

LumpReader Wad::read(std::size_t lump, const std::string& title) const {
  const Lump& entry = lumps_.at(lump);
  return {title.empty() ? entry.name : title, entry.offset,
          std::span(bytes_).subspan(static_cast<std::size_t>(entry.offset),
                                    static_cast<std::size_t>(entry.size_bytes))};
}

std::optional<std::uint32_t> Wad::find(std::string_view name) const {
  const std::string wanted = upper_case(name);
  const auto found = std::find_if(lumps_.rbegin(), lumps_.rend(),
                                  [&](const Lump& lump) { return lump.name == wanted; });
  if (found == lumps_.rend()) return std::nullopt;
  return static_cast<std::uint32_t>(lumps_.rend() - found - 1);
}

std::vector<std::string> Wad::map_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < lumps_.size(); ++i) {
    if (lumps_[i + 1].name == "THINGS") names.push_back(lumps_[i].name);
  }
  return names;
}

LumpReader Wad::read_of_map(const std::string& map, std::string_view lump) const {
  std::size_t marker = lumps_.size();
  for (std::size_t i = 0; i + 1 < lumps_.size(); ++i) {
    if (lumps_[i].name == map && lumps_[i + 1].name == "THINGS") marker = i;
  }
  const std::string title = fmt::format("{} of {}", lump, map);
  for (std::size_t i = marker + 1; i < lumps_.size() && i <= marker + kLumpsOfMap; ++i) {
    if (lumps_[i].name == lump) return read(i, title);
  }
  throw WadError(title, 0, "the WAD does not have this lump");
}

}  // namespace demo
