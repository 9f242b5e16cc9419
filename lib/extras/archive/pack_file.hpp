// Files of an archive in a folder: objects, and in the file of a save its manifest.
//
//   file   := header (64 bytes), objects, manifest, index, footer (64 bytes)
//   header := magic, version u32, 0 u32, archive id, 0 (24 bytes), hash64 of the 56 bytes before
//   index  := for each object: id (32 bytes), bytes u32, hash64 of the bytes u64
//   footer := objects u64, manifest bytes u64, file bytes u64, hash64 of manifest and index u64,
//             magic, 0 (16 bytes), hash64 of the 56 bytes before
// A file has its name only when it is complete and synced, so none is ever half there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "archive/object.hpp"
#include "files/temporary.hpp"
#include "hdb/hash.hpp"

namespace hdb::archive {

struct PackedObject {
  ObjectId id = {};
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint64_t hash = 0;
};

/// What the end of a file says.
struct PackIndex {
  std::uint64_t file_bytes = 0;
  std::uint64_t inode = 0;  ///< Tells the file from a later one of its name.
  std::uint64_t manifest_offset = 0;
  Bytes manifest;  ///< Empty: none.
  std::vector<PackedObject> objects;
};

inline constexpr std::size_t kPackFrameBytes = 128;  ///< Header and footer.
inline constexpr std::size_t kPackIndexEntryBytes = 44;

/// Reads and checks manifest, index and footer. `path` is for errors.
/// Errors: bad_archive, newer_version, I/O.
[[nodiscard]] Result<PackIndex> read_pack_index(FileSystem& files, Descriptor file,
                                                const std::string& path);
/// Checks the header. Errors: bad_archive, foreign_archive, I/O.
[[nodiscard]] Status check_pack_header(FileSystem& files, Descriptor file,
                                       const Hash128& archive_id, const std::string& path);
/// Reads one object and compares its hash. Errors: bad_archive, I/O.
[[nodiscard]] Result<Bytes> read_packed(FileSystem& files, Descriptor file,
                                        const PackedObject& object, const std::string& path);

/// Writes such a file under a temporary name. Without finish, no file is left.
class PackWriter {
 public:
  /// `path` is that of the archive, for errors. Errors: I/O.
  [[nodiscard]] static Result<std::unique_ptr<PackWriter>> create(FileSystem& files,
                                                                  Descriptor folder,
                                                                  const Hash128& archive_id,
                                                                  const std::string& path);
  ~PackWriter();
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;

  [[nodiscard]] Status add(const ObjectId& id, std::span<const std::byte> bytes);
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  enum class Name : std::uint8_t { if_absent, replace };
  /// Completes the file, syncs it, and gives it its name; the folder is synced by the caller.
  /// Returns false if another file has the name and `how` is if_absent.
  [[nodiscard]] Result<bool> finish(std::span<const std::byte> manifest, const std::string& name,
                                    Name how);
  /// After finish: what is in the file.
  [[nodiscard]] PackIndex take_index() noexcept { return std::move(index_); }

 private:
  PackWriter(FileSystem& files, Descriptor folder, std::string path)
      : files_(files), folder_(folder), path_(std::move(path)) {}
  [[nodiscard]] Status append(std::span<const std::byte> bytes);
  [[nodiscard]] Status write_out();

  FileSystem& files_;
  Descriptor folder_;
  std::string path_;
  Temporary temporary_;
  Bytes buffer_;
  std::uint64_t size_ = 0;
  PackIndex index_;
};

/// The name of temporary files in the folder of an archive is made from this.
inline constexpr const char* kTemporaryTarget = "archive";

}  // namespace hdb::archive
