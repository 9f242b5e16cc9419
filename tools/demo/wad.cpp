// WAD header and directory, and the reader of one lump.
//
//   header     "IWAD" or "PWAD", u32 lump count, u32 offset of the directory
//   directory  a lump each: u32 offset, u32 size, char name[8]
#include "wad.hpp"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace demo {
namespace {

constexpr std::uint64_t kHeaderBytes = 12;
constexpr std::uint64_t kEntryBytes = 16;

}  // namespace

std::string upper_case(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

std::string WadError::message() const { return fmt::format("{}, byte {}: {}", lump, byte, what); }

WadResult<Wad> Wad::open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return broken({"file", 0, error ? error.message() : "the path is not a regular file"});
  }
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0) return broken({"file", 0, "the file cannot be opened"});
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), size)) {
    return broken({"file", 0, "the file cannot be read"});
  }
  return parse(std::move(bytes));
}

WadResult<Wad> Wad::parse(std::vector<std::byte> bytes) {
  Wad wad;
  wad.bytes_ = std::move(bytes);
  const std::span<const std::byte> all(wad.bytes_);

  LumpReader header("header", 0, all);
  const std::string magic = header.name8().substr(0, 4);
  header.seek(4);
  const std::uint64_t count = header.u32();
  const std::uint64_t directory_at = header.u32();
  if (header.failed() || all.size() < kHeaderBytes) {
    return broken({"header", all.size(), "the file ends within the header"});
  }
  if (magic != "IWAD" && magic != "PWAD") {
    return broken({"header", 0, "the file is not a WAD: it starts with neither IWAD nor PWAD"});
  }
  if (directory_at > all.size() || count > (all.size() - directory_at) / kEntryBytes) {
    return broken(
        {"header", 4,
         fmt::format("the directory of {} lumps at byte {} does not fit the file of {} bytes",
                     count, directory_at, all.size())});
  }

  LumpReader directory("directory", 0, all);
  directory.seek(directory_at);
  wad.lumps_.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    Lump lump;
    const std::uint64_t entry_at = directory.position();
    lump.offset = directory.u32();
    lump.size_bytes = directory.u32();
    lump.name = directory.name8();
    if (lump.size_bytes != 0 &&
        (lump.offset > all.size() || lump.size_bytes > all.size() - lump.offset)) {
      return broken(
          {fmt::format("directory entry {} ({})", i, lump.name), entry_at,
           fmt::format("{} bytes from byte {} reach beyond the end of the file at byte {}",
                       lump.size_bytes, lump.offset, all.size())});
    }
    wad.lumps_.push_back(std::move(lump));
  }
  return wad;
}

std::span<const std::byte> Wad::bytes_of(const Lump& lump) const noexcept {
  if (lump.size_bytes == 0) return {};
  return std::span<const std::byte>(bytes_).subspan(static_cast<std::size_t>(lump.offset),
                                                    static_cast<std::size_t>(lump.size_bytes));
}

const Lump* Wad::find(std::string_view name) const noexcept {
  for (std::size_t i = lumps_.size(); i-- > 0;) {
    if (lumps_[i].name == name) return &lumps_[i];
  }
  return nullptr;
}

std::vector<std::string> Wad::map_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < lumps_.size(); ++i) {
    if (lumps_[i + 1].name == "THINGS") names.push_back(lumps_[i].name);
  }
  return names;
}

std::size_t Wad::map_marker(std::string_view map) const noexcept {
  for (std::size_t i = lumps_.size(); i-- > 0;) {
    if (i + 1 < lumps_.size() && lumps_[i].name == map && lumps_[i + 1].name == "THINGS") return i;
  }
  return lumps_.size();
}

std::uint64_t LumpReader::number(unsigned width) {
  if (failed_ || remaining() < width) {
    if (!failed_) failed_at_ = position_;
    failed_ = true;
    return 0;
  }
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    value |= std::to_integer<std::uint64_t>(bytes_[static_cast<std::size_t>(position_ + i)])
             << (8 * i);
  }
  position_ += width;
  return value;
}

std::string LumpReader::name8() {
  std::string name;
  bool ended = false;
  for (int i = 0; i < 8; ++i) {
    const auto c = static_cast<unsigned char>(number(1));
    ended = ended || c == 0;
    if (!ended) name.push_back(static_cast<char>(std::toupper(c)));
  }
  return name;
}

void LumpReader::skip(std::uint64_t size_bytes) {
  if (failed_ || remaining() < size_bytes) {
    if (!failed_) failed_at_ = position_;
    failed_ = true;
    return;
  }
  position_ += size_bytes;
}

WadError LumpReader::failure() const {
  return error_at(failed_at_,
                  fmt::format("the lump ends too early, after {} bytes", bytes_.size()));
}

WadError LumpReader::error_at(std::uint64_t position, std::string what) const {
  return {name_, file_offset_ + position, std::move(what)};
}

}  // namespace demo
