// Objects of an archive: their ids, and the bytes in which a store has them: whole, or as the
// difference from another object.
//
//   object     := form u8, filter u8, codec u8, width u8, raw u32, hash64 of the raw bytes u64,
//                 [forms 1 and 2, the differences: step u16, content u32, id of the base (32
//                 bytes)], payload
//   form 0     := the raw bytes, filtered and compressed as a chunk of a file
//   form 1     := content, compressed where that is smaller; content := runs varint,
//                 runs * (skip varint, length varint), XORed values, bytes after the last value
//   form 2     := a zstd frame of the raw bytes that refers to the base as what was before it
//
// Runs are small where values changed in their places, frames where values moved.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/blake2b.hpp"
#include "format/columns/compress.hpp"
#include "format/frame/buffer.hpp"
#include "hdb/archive_backend.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/write_options.hpp"

namespace hdb::archive {

/// The BLAKE2b-256 of the raw bytes.
using ObjectId = std::array<std::byte, detail::kBlake2bBytes>;

struct HashOfId {
  [[nodiscard]] std::size_t operator()(const ObjectId& id) const noexcept {
    return static_cast<std::size_t>(load_le<std::uint64_t>(id.data()));
  }
};

[[nodiscard]] ObjectKey key_of(const ObjectId& id);
/// Nothing if the key is not that of a chunk.
[[nodiscard]] std::optional<ObjectId> id_of(std::string_view key) noexcept;

/// Objects of a chain are numbered from 0, which is whole. The others are differences: each from
/// the one before it, each kRadix-th from the one kRadix before it, each kRadix * kRadix-th from
/// the one kRadix * kRadix before it. After kChainLength objects a new chain begins.
inline constexpr unsigned kRadix = 8;
inline constexpr unsigned kChainLength = kRadix * kRadix * kRadix;
/// AR4: the most differences between an object and a whole one.
inline constexpr unsigned kMaxSteps = 3 * (kRadix - 1);
/// How many objects before this one of its chain its base is.
[[nodiscard]] constexpr unsigned stride_of(unsigned step) noexcept {
  return step % kRadix != 0 ? 1 : step % (kRadix * kRadix) != 0 ? kRadix : kRadix * kRadix;
}
/// Only objects of at most this size are stored as differences or are the base of one.
inline constexpr std::size_t kMaxDifferenceBytes = std::size_t{8} << 20;
/// The same of differences that are frames.
inline constexpr std::size_t kMaxFrameBytes = std::size_t{1} << 20;

/// What an object begins with, checked for what can be checked without the base.
struct StoredObject {
  bool is_difference = false;
  bool is_frame = false;  ///< A difference of form 2.
  format::Filter filter = format::Filter::none;
  Codec codec = Codec::none;
  unsigned width = 1;
  std::uint32_t raw_bytes = 0;
  std::uint64_t raw_hash = 0;
  unsigned step = 0;                ///< How many objects of its chain were before it.
  std::uint32_t content_bytes = 0;  ///< Of a difference, uncompressed; a frame's are the raw ones.
  ObjectId base = {};
  std::span<const std::byte> payload;
};

/// Errors: bad_archive.
[[nodiscard]] Result<StoredObject> parse_object(std::span<const std::byte> stored);

/// Makes objects; one for each thread.
class ObjectEncoder {
 public:
  explicit ObjectEncoder(int level) : compressor_(level) {}

  /// Replaces `out` by the whole object.
  void encode_whole(std::span<const std::byte> raw, unsigned width, Bytes& out);
  /// Replaces `out` by the difference from `base`, or by the whole object if that is smaller.
  /// Requires: both have at most kMaxDifferenceBytes.
  void encode_difference(std::span<const std::byte> raw, unsigned width,
                         std::span<const std::byte> base, const ObjectId& base_id, unsigned step,
                         Bytes& out);

 private:
  template <class T>
  void find_runs(std::span<const std::byte> raw, std::span<const std::byte> base);
  void gather_runs(std::span<const std::byte> raw, unsigned width, std::span<const std::byte> base);

  format::Compressor compressor_;
  format::Buffer filtered_;
  format::Buffer compressed_;
  Bytes runs_;
  Bytes values_;
  Bytes content_;
  Bytes payload_;
  std::uint64_t run_count_ = 0;
};

/// Undoes ObjectEncoder; one for each thread.
class ObjectDecoder {
 public:
  /// Fills `out`, of the object's raw size, from a whole object.
  /// Errors: bad_archive, also if the hash does not match.
  [[nodiscard]] Status decode_whole(const StoredObject& object, std::span<std::byte> out);
  /// Turns the base in `bytes` into the object. Errors: as decode_whole.
  [[nodiscard]] Status apply_difference(const StoredObject& object, Bytes& bytes);

 private:
  format::Decompressor decompressor_;
  format::Buffer content_;
  format::Buffer values_;
};

}  // namespace hdb::archive
