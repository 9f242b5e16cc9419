// Archive::copy_to and Archive::repair: copy every save of which all objects can be read.
#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "archive/save_tree.hpp"
#include "archive/utf8_path.hpp"

namespace hdb {
namespace {

using archive::Manifest;
using archive::ObjectId;
using archive::TreeObject;

constexpr std::size_t kMostPendingBytes = std::size_t{4} << 20;

// AR4 in the target: a difference is copied as it is only if its base has no longer a chain there
// than in the source. Another program may put the base at the same time, as another difference. So
// the base is there before the difference goes into a batch.
class Copier {
 public:
  Copier(Archive::Parts& source, Archive::Parts& target) : source_(source), target_(target) {}

  Result<ArchiveCopy> run(const std::function<bool(const ArchiveVersion&)>& is_wanted) {
    const auto versions = source_.versions({});
    if (!versions) return fail(versions.error());
    auto faults = source_.backend->list_faults();
    if (!faults) return fail(std::move(faults.error()));
    copy_.unlisted = *std::move(faults);
    const auto known = target_.versions({});
    if (!known) return fail(known.error());
    for (const ArchiveVersion& version : *versions) {
      if (is_wanted && !is_wanted(version)) continue;
      auto manifest = source_.manifest(version);
      if (!manifest) {
        lose(version, source_.listed(manifest.error(), version));
        continue;
      }
      if (std::binary_search(known->begin(), known->end(), version)) {
        if (Status checked = check_known(version, *manifest); !checked)
          lose(version, checked.error());
        continue;
      }
      if (const auto read = copy_objects(*manifest); !read) {
        if (is_broken_) return fail(read.error());
        lose(version, source_.about(read.error(), version));
        continue;
      }
      manifest->archive_id = target_.backend->archive_id();
      pending_.push_back({archive::save_key(version.world, version.sequence),
                          archive::encode_manifest(*manifest)});
      if (Status stored = flush(); !stored) return fail(std::move(stored.error()));
      ++copy_.saves;
    }
    return std::move(copy_);
  }

 private:
  using Ids = std::unordered_set<ObjectId, archive::HashOfId>;
  struct Pending {
    ObjectKey key;
    Bytes bytes;
  };

  void lose(const ArchiveVersion& version, const Error& error) {
    copy_.lost.push_back({error, {version}});
  }

  // An error of the target ends the copy; one of the source costs a save.
  template <class T>
  T of_target(T result) {
    if (!result) is_broken_ = true;
    return result;
  }

  // A save that the target has is this one, or another one that stays.
  Status check_known(const ArchiveVersion& version, const Manifest& manifest) {
    const auto theirs = target_.manifest(version);
    if (!theirs) return fail(theirs.error());
    auto conflict = archive::conflict_of(source_, manifest, target_, *theirs);
    if (!conflict) return fail(std::move(conflict.error()));
    if (*conflict) return fail(**std::move(conflict));
    ++copy_.already_stored;
    return {};
  }

  // Stores the objects of a save; those of a save that turns out to be lost are garbage.
  Status copy_objects(const Manifest& manifest) {
    std::vector<TreeObject> objects;
    std::vector<ObjectKey> keys;
    Status walked = archive::walk_save(
        *source_.objects, manifest,
        [&](const TreeObject& object) {
          if (const auto known = results_.find(object.id); known != results_.end() && known->second)
            return;
          objects.push_back({object.id, object.raw_bytes, nullptr, nullptr});
          keys.push_back(archive::key_of(object.id));
        },
        [](const ObjectId&) { return false; });
    if (!walked) return walked;
    const auto there = of_target(target_.backend->exists_many(keys));
    if (!there) return fail(there.error());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto [result, is_new] = results_.emplace(objects[i].id, Status());
      if (is_new && !(*there)[i]) result->second = copy(objects[i]);
      if (!result->second) return result->second;
    }
    return {};
  }

  // An object, if it has the bytes of its id.
  Status copy(const TreeObject& object) {
    bytes_.resize(static_cast<std::size_t>(object.raw_bytes));
    const archive::ObjectRequest request{object.id, bytes_};
    if (Status read = source_.objects->read_all({&request, 1}, true); !read) return read;
    const auto stored = source_.objects->stored(object.id);
    if (!stored) return fail(stored.error());
    const auto parsed = archive::parse_object(**stored);
    if (!parsed) return fail(parsed.error());
    Pending copied{archive::key_of(object.id), **stored};
    if (parsed->is_difference) {
      const auto fits = has_base(parsed->base);
      if (!fits) return fail(fits.error());
      if (!*fits) encoder_.encode_whole(bytes_, parsed->width, copied.bytes);
    }
    pending_ids_.push_back(object.id);
    pending_bytes_ += copied.bytes.size();
    pending_.push_back(std::move(copied));
    return pending_bytes_ < kMostPendingBytes ? Status() : flush();
  }

  Result<bool> has_base(const ObjectId& id) {
    if (fitting_.contains(id)) return true;
    if (Status stored = flush(); !stored) return fail(std::move(stored.error()));
    if (fitting_.contains(id)) return true;
    const ObjectKey key = archive::key_of(id);
    const auto there = of_target(target_.backend->exists_many({&key, 1}));
    if (!there) return fail(there.error());
    if (!there->front()) return false;
    const auto ours = steps_of(*source_.objects, id);
    const auto theirs = steps_of(*target_.objects, id);
    if (!ours || !theirs || *theirs > *ours) return false;
    fitting_.insert(id);
    return true;
  }

  // The differences between an object and a whole one.
  static Result<unsigned> steps_of(archive::ObjectStore& store, ObjectId id) {
    for (unsigned steps = 0;; ++steps) {
      const auto stored = store.stored(id);
      if (!stored) return fail(stored.error());
      const auto parsed = archive::parse_object(**stored);
      if (!parsed) return fail(parsed.error());
      if (!parsed->is_difference || steps > archive::kMaxSteps) return steps;
      id = parsed->base;
    }
  }

  Status flush() {
    if (pending_.empty()) return {};
    std::vector<ArchiveObject> objects;
    objects.reserve(pending_.size());
    for (const Pending& each : pending_) objects.push_back({each.key, each.bytes});
    const auto stored = of_target(target_.backend->put_if_absent(objects));
    if (!stored) return fail(stored.error());
    for (std::size_t i = 0; i < pending_ids_.size(); ++i) {
      if (!(*stored)[i]) continue;  // another program was faster
      fitting_.insert(pending_ids_[i]);
      ++copy_.objects;
      copy_.bytes += pending_[i].bytes.size();
    }
    pending_.clear();
    pending_ids_.clear();
    pending_bytes_ = 0;
    return {};
  }

  Archive::Parts& source_;
  Archive::Parts& target_;
  ArchiveCopy copy_;
  bool is_broken_ = false;
  std::unordered_map<ObjectId, Status, archive::HashOfId> results_;
  Ids fitting_;  // in the target, with no longer chains than in the source
  std::vector<Pending> pending_;
  std::vector<ObjectId> pending_ids_;  // of its objects; a manifest comes after them
  std::size_t pending_bytes_ = 0;
  archive::ObjectEncoder encoder_{WriteOptions{}.level};
  Bytes bytes_;
};

}  // namespace

Result<ArchiveCopy> Archive::copy_to(Archive& target,
                                     const std::function<bool(const ArchiveVersion&)>& is_wanted) {
  if (backend().place() == target.backend().place()) {
    return fail(Error{ErrorCode::bad_path,
                      "an archive cannot be copied to itself",
                      kNoOffset,
                      {},
                      backend().place()});
  }
  // Nothing is collected meanwhile, so that no object of a save that was listed or copied goes.
  const auto timeout = parts_->options.lock_timeout;
  const auto own = parts_->backend->hold(HoldKind::write, timeout);
  if (!own) return fail(own.error());
  const auto theirs = target.parts_->backend->hold(HoldKind::write, timeout);
  if (!theirs) return fail(theirs.error());
  return Copier(*parts_, *target.parts_).run(is_wanted);
}

Result<ArchiveCopy> Archive::repair(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(detail::path_of_utf8(path), error))) {
    return fail(Error{ErrorCode::bad_path,
                      "the file exists already; give the name of a new file",
                      kNoOffset,
                      {},
                      path});
  }
  auto target =
      open_archive_file(path, {.create = true, .archive_id = parts_->backend->archive_id()});
  if (!target) return fail(target.error());
  return copy_to(*over(std::move(*target), parts_->options));
}

}  // namespace hdb
