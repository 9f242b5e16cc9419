// Reads DOOM WAD files: the directory of lumps, bounds-checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace demo {

/// Where a WAD file is broken, and how.
struct WadError {
  std::string lump;        ///< "LINEDEFS of MAP01", "header", "directory".
  std::uint64_t byte = 0;  ///< Offset in the file.
  std::string what;

  /// One line: "LINEDEFS of MAP01, byte 5432: line 3 names vertex 900 of 512".
  [[nodiscard]] std::string message() const;
};

template <class T>
using WadResult = tl::expected<T, WadError>;

[[nodiscard]] inline tl::unexpected<WadError> broken(WadError error) {
  return tl::unexpected<WadError>(std::move(error));
}
/// Names of lumps and maps are compared in upper case.
[[nodiscard]] std::string upper_case(std::string_view name);

/// One entry of the directory; its bytes lie within the file.
struct Lump {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

/// A WAD file in memory.
class Wad {
 public:
  /// Errors: no such file, or what `parse` refuses.
  [[nodiscard]] static WadResult<Wad> open(const std::string& path);
  /// Reads header and directory; every lump is checked to lie within the file.
  [[nodiscard]] static WadResult<Wad> parse(std::vector<std::byte> bytes);

  [[nodiscard]] const std::vector<Lump>& lumps() const noexcept { return lumps_; }
  [[nodiscard]] std::span<const std::byte> bytes_of(const Lump& lump) const noexcept;
  /// The last lump of this name (later lumps replace earlier ones); null when there is none.
  [[nodiscard]] const Lump* find(std::string_view name) const noexcept;
  /// The names of all maps in the order of the directory: markers followed by a lump THINGS.
  [[nodiscard]] std::vector<std::string> map_names() const;
  /// Place of a map's marker in `lumps()`; its size when there is no such map.
  [[nodiscard]] std::size_t map_marker(std::string_view map) const noexcept;

 private:
  std::vector<std::byte> bytes_;
  std::vector<Lump> lumps_;
};

/// Reads little-endian numbers of one lump in order. The first read beyond the end is remembered,
/// and every later read gives zero, so that a decoder is a straight line with one check at its end.
class LumpReader {
 public:
  LumpReader(std::string name, std::uint64_t file_offset, std::span<const std::byte> bytes)
      : name_(std::move(name)), file_offset_(file_offset), bytes_(bytes) {}

  [[nodiscard]] std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  [[nodiscard]] std::int16_t i16() { return static_cast<std::int16_t>(number(2)); }
  [[nodiscard]] std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  [[nodiscard]] std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  /// Up to eight characters, padded with NUL; upper case, as the game compares them.
  [[nodiscard]] std::string name8();
  void skip(std::uint64_t size_bytes);
  void seek(std::uint64_t position) { position_ = position; }

  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] std::uint64_t remaining() const noexcept {
    return position_ < bytes_.size() ? bytes_.size() - position_ : 0;
  }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  /// The error of the first read beyond the end.
  [[nodiscard]] WadError failure() const;
  /// An error at `position` of this lump.
  [[nodiscard]] WadError error_at(std::uint64_t position, std::string what) const;

 private:
  [[nodiscard]] std::uint64_t number(unsigned width);

  std::string name_;
  std::uint64_t file_offset_;
  std::span<const std::byte> bytes_;
  std::uint64_t position_ = 0;
  std::uint64_t failed_at_ = 0;
  bool failed_ = false;
};

}  // namespace demo
