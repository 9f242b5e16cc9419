// DOOM WAD files: reads their lumps with bounds checks, and makes a WAD for machines without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace demo {

/// A broken WAD: the text names the lump, the byte of the file and what is wrong there.
struct WadError : std::runtime_error {
  WadError(const std::string& lump, std::uint64_t byte, const std::string& what);
};

/// Reads the little-endian numbers of one lump in order.
/// Throws: WadError at the first read beyond its end.
class LumpReader {
 public:
  LumpReader(std::string name, std::uint64_t file_offset, std::span<const std::byte> bytes)
      : name_(std::move(name)), file_offset_(file_offset), bytes_(bytes) {}

  [[nodiscard]] std::int16_t i16() { return static_cast<std::int16_t>(number(2)); }
  [[nodiscard]] std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  [[nodiscard]] std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  /// Up to eight characters, padded with NUL, in upper case.
  [[nodiscard]] std::string name8();
  [[nodiscard]] std::span<const std::byte> take(std::uint64_t size_bytes);
  void skip(std::uint64_t size_bytes) { static_cast<void>(take(size_bytes)); }
  [[nodiscard]] std::uint64_t remaining() const noexcept { return bytes_.size() - position_; }
  /// Throws: WadError, with the byte of the file at which the next read would begin, minus `back`.
  [[noreturn]] void fail(const std::string& what, std::uint64_t back = 0) const;

 private:
  [[nodiscard]] std::uint64_t number(unsigned width);

  std::string name_;
  std::uint64_t file_offset_;
  std::span<const std::byte> bytes_;
  std::uint64_t position_ = 0;
};

/// One entry of the directory; its bytes are within the file.
struct Lump {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
};

/// A WAD file in memory. Names of lumps and maps are in upper case.
class Wad {
 public:
  /// Reads header and directory.
  /// Throws: WadError, also if a lump reaches beyond the end of the file.
  explicit Wad(std::vector<std::byte> bytes);
  /// Throws: as the constructor; runtime_error if the file cannot be read.
  [[nodiscard]] static Wad open(const std::string& path);

  [[nodiscard]] const std::vector<Lump>& lumps() const noexcept { return lumps_; }
  /// `title`: the name of the lump in errors, if it is not its own.
  [[nodiscard]] LumpReader read(std::size_t lump, const std::string& title = {}) const;
  /// The number of the last lump with this name in any case: later lumps replace earlier ones.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
  /// All maps in the order of the directory: the lumps that THINGS follows.
  [[nodiscard]] std::vector<std::string> map_names() const;
  /// The lump of the map with this name. Throws: WadError if the WAD does not have it.
  [[nodiscard]] LumpReader read_of_map(const std::string& map, std::string_view lump) const;

 private:
  std::vector<std::byte> bytes_;
  std::vector<Lump> lumps_;
};

[[nodiscard]] std::string upper_case(std::string_view name);

/// Writes little-endian numbers and names, one after another.
class LumpWriter {
 public:
  LumpWriter& u8(std::uint64_t value) { return number(value, 1); }
  LumpWriter& u16(std::uint64_t value) { return number(value, 2); }
  LumpWriter& u32(std::uint64_t value) { return number(value, 4); }
  LumpWriter& name8(std::string_view text);
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  LumpWriter& number(std::uint64_t value, unsigned width);
  std::vector<std::byte> bytes_;
};
/// Builds a WAD lump by lump.
class WadWriter {
 public:
  WadWriter& lump(std::string_view name, const LumpWriter& content = {});
  [[nodiscard]] std::vector<std::byte> build() const;

 private:
  std::vector<std::byte> contents_;
  LumpWriter directory_;
  std::size_t count_ = 0;
};

/// A WAD with two maps of rooms, MAP01 and MAP02, and the pictures and sounds that they name; the
/// same for the same seed.
[[nodiscard]] std::vector<std::byte> generate_wad(std::uint64_t seed);
/// Throws: runtime_error if the file cannot be written.
void write_generated_wad(const std::string& path, std::uint64_t seed);

}  // namespace demo
