// Reads objects of a backend: follows the chains of differences, checks sizes and hashes, and
// remembers the small objects that many saves share.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "archive/object.hpp"

namespace hdb::archive {

/// One object to be read.
struct ObjectRequest {
  ObjectId id = {};
  std::span<std::byte> out;  ///< Of the object's raw size.
};

/// The most recently used objects, up to a number of bytes. Any thread may call any member.
class ObjectCache {
 public:
  using Value = std::shared_ptr<const Bytes>;

  explicit ObjectCache(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}
  /// Null: not there.
  [[nodiscard]] Value find(const ObjectId& id);
  void remember(const ObjectId& id, Value bytes);

 private:
  using Entry = std::pair<ObjectId, Value>;

  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  // Guarded by mutex_: the most recently used first.
  std::list<Entry> entries_;
  std::unordered_map<ObjectId, std::list<Entry>::iterator, HashOfId> places_;
  std::uint64_t bytes_ = 0;
};

/// Any thread may call any member.
class ObjectStore {
 public:
  ObjectStore(std::shared_ptr<ArchiveBackend> backend, std::uint64_t cache_bytes)
      : backend_(std::move(backend)), decoded_(cache_bytes / 2), stored_(cache_bytes / 2) {}

  /// Reads an object of `raw_bytes` bytes through the cache. Compares it with the hash64 that is
  /// stored with it, and only with `verify_id` with its id.
  /// Errors: missing_object; bad_archive; those of the backend.
  [[nodiscard]] Result<ObjectCache::Value> read(const ObjectId& id, std::uint64_t raw_bytes,
                                                bool verify_id);
  /// Reads several objects at once, past the cache. Errors: as read.
  [[nodiscard]] Status read_all(std::span<const ObjectRequest> requests, bool verify_ids);
  /// The raw bytes of an object that may be the base of a difference; null if it is too large.
  /// They are not compared with the id: whoever applies the difference gets the same bytes, and
  /// compares the result with a hash. Errors: as read.
  [[nodiscard]] Result<ObjectCache::Value> read_base(const ObjectId& id);

  /// What an object that follows `last` in its chain is the difference from.
  struct Base {
    bool is_whole = true;  ///< Of none: the next object is whole.
    ObjectId id = {};
    unsigned step = 0;  ///< Of the next object.
  };
  /// AR4. Errors: as read.
  [[nodiscard]] Result<Base> next_base(const ObjectId& last);

  /// The stored bytes of an object. Errors: missing_object; those of the backend.
  [[nodiscard]] Result<ObjectCache::Value> stored(const ObjectId& id);
  /// The bytes of an object, which has this id: it may be the base of the next save.
  void remember(const ObjectId& id, std::span<const std::byte> raw);
  /// Stored bytes that the backend took.
  void remember_stored(const ObjectId& id, Bytes stored);

  [[nodiscard]] ArchiveBackend& backend() noexcept { return *backend_; }
  /// The error of a backend, with the place of the archive.
  [[nodiscard]] Error about(Error error) const;

 private:
  [[nodiscard]] Result<std::vector<ObjectCache::Value>> fetch(std::span<const ObjectId> ids);
  [[nodiscard]] Result<ObjectCache::Value> read_past_cache(const ObjectId& id,
                                                           std::uint64_t raw_bytes, bool verify_id);
  [[nodiscard]] Error about(Error error, const ObjectId& id) const;

  const std::shared_ptr<ArchiveBackend> backend_;
  ObjectCache decoded_;  // nodes, lists of blocks, other objects of small saves
  ObjectCache stored_;
};

}  // namespace hdb::archive
