// Archive::repair: copies every save of which all objects can be read.
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "archive/save_tree.hpp"

namespace hdb {
namespace {

using archive::Manifest;
using archive::ObjectId;

constexpr std::size_t kMostPendingBytes = std::size_t{4} << 20;

class Repairer {
 public:
  Repairer(Archive::Parts& parts, ArchiveBackend& target) : parts_(parts), target_(target) {}

  Result<ArchiveRepair> run() {
    const auto versions = parts_.versions({});
    if (!versions) return fail(versions.error());
    for (const ArchiveVersion& version : *versions) {
      const auto manifest = parts_.manifest(version);
      if (!manifest) {
        lose(version, parts_.listed(manifest.error(), version));
        continue;
      }
      if (const auto read = read_objects(*manifest); !read) {
        lose(version, parts_.about(read.error(), version));
        continue;
      }
      pending_.push_back({archive::save_key(version.world, version.sequence),
                          archive::encode_manifest(*manifest)});
      if (Status stored = flush(); !stored) return fail(std::move(stored.error()));
      ++repair_.saves;
    }
    return std::move(repair_);
  }

 private:
  struct Pending {
    ObjectKey key;
    Bytes bytes;
  };

  void lose(const ArchiveVersion& version, const Error& error) {
    repair_.lost.push_back({error, {version}});
  }

  // Stores the objects of a save; those of a save that turns out to be lost are garbage.
  Status read_objects(const Manifest& manifest) {
    std::vector<archive::TreeObject> objects;
    Status walked = archive::walk_save(
        *parts_.objects, manifest,
        [&](const archive::TreeObject& object) {
          objects.push_back({object.id, object.raw_bytes, nullptr, nullptr});
        },
        [](const ObjectId&) { return false; });
    if (!walked) return walked;
    for (const archive::TreeObject& object : objects) {
      const auto known = results_.find(object.id);
      if (known != results_.end()) {
        if (known->second) continue;
        return fail(Error(known->second.error()));
      }
      Status copied = copy(object);
      results_.emplace(object.id, copied);
      if (!copied) return copied;
    }
    return {};
  }

  // An object, if it has the bytes of its id, and the objects that it is the difference from.
  Status copy(const archive::TreeObject& object) {
    bytes_.resize(static_cast<std::size_t>(object.raw_bytes));
    const archive::ObjectRequest request{object.id, bytes_};
    if (Status read = parts_.objects->read_all({&request, 1}, true); !read) return read;
    std::vector<Pending> chain;  // a base goes before what needs it
    for (ObjectId id = object.id; !stored_.contains(id);) {
      const auto stored = parts_.objects->stored(id);
      if (!stored) return fail(stored.error());
      const auto parsed = archive::parse_object(**stored);
      if (!parsed) return fail(parsed.error());
      chain.push_back({archive::key_of(id), **stored});
      stored_.insert(id);
      if (!parsed->is_difference) break;
      id = parsed->base;
    }
    for (std::size_t i = chain.size(); i-- > 0;) {
      ++repair_.objects;
      pending_bytes_ += chain[i].bytes.size();
      repair_.bytes += chain[i].bytes.size();
      pending_.push_back(std::move(chain[i]));
    }
    return pending_bytes_ < kMostPendingBytes ? Status() : flush();
  }

  Status flush() {
    std::vector<ArchiveObject> objects;
    objects.reserve(pending_.size());
    for (const Pending& each : pending_) objects.push_back({each.key, each.bytes});
    const auto stored = target_.put_if_absent(objects);
    pending_.clear();
    pending_bytes_ = 0;
    if (!stored) return fail(stored.error());
    return {};
  }

  Archive::Parts& parts_;
  ArchiveBackend& target_;
  ArchiveRepair repair_;
  std::unordered_map<ObjectId, Status, archive::HashOfId> results_;
  std::unordered_set<ObjectId, archive::HashOfId> stored_;
  std::vector<Pending> pending_;
  std::size_t pending_bytes_ = 0;
  Bytes bytes_;
};

}  // namespace

Result<ArchiveRepair> Archive::repair(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
    return fail(Error{ErrorCode::bad_path,
                      "the file exists already; give the name of a new file",
                      kNoOffset,
                      {},
                      path});
  }
  const auto target =
      open_archive_file(path, {.create = true, .archive_id = parts_->backend->archive_id()});
  if (!target) return fail(target.error());
  // Nothing is collected meanwhile, so that no object of a save that was listed goes.
  const auto hold = parts_->backend->hold(HoldKind::write, parts_->options.lock_timeout);
  if (!hold) return fail(hold.error());
  return Repairer(*parts_, **target).run();
}

}  // namespace hdb
