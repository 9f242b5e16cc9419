// Archive::collect_garbage and added_bytes: mark what the manifests lead to.
#include <unordered_map>
#include <utility>

#include "archive/save_tree.hpp"

namespace hdb {
namespace {

using archive::ObjectId;

// Finds the objects of saves, and what they are the differences from.
class Marker {
 public:
  explicit Marker(Archive::Parts& parts) : parts_(parts) {}

  /// Calls `on_new` for each object that no save before had.
  template <class OnNew>
  Status add(const archive::Manifest& manifest, const OnNew& on_new) {
    std::vector<ObjectId> unread;
    const auto mark = [&](const ObjectId& id) {
      if (!live_.insert(id).second) return;
      unread.push_back(id);
      on_new(id);
    };
    Status status = archive::walk_save(
        *parts_.objects, manifest, [&](const archive::TreeObject& object) { mark(object.id); },
        [&](const ObjectId& node) { return !followed_.insert(node).second; });
    if (!status)
      return fail(parts_.about(std::move(status.error()), {manifest.world, manifest.sequence}));
    while (!unread.empty()) {
      const ObjectId id = unread.back();
      unread.pop_back();
      const auto stored = parts_.objects->stored(id);
      if (!stored) return fail(stored.error());
      const auto object = archive::parse_object(**stored);
      if (!object) return fail(object.error());
      if (object->is_difference) mark(object->base);
    }
    return {};
  }

  [[nodiscard]] bool has(const ObjectId& id) const { return live_.contains(id); }

 private:
  using Ids = std::unordered_set<ObjectId, archive::HashOfId>;

  Archive::Parts& parts_;
  Ids live_;
  Ids followed_;
};

}  // namespace

Result<ArchiveGarbage> Archive::collect_garbage(bool dry_run) {
  // AR5: no put runs from here on; those before have their manifests.
  const auto hold = parts_->backend->hold(HoldKind::collect, parts_->options.lock_timeout);
  if (!hold) return fail(hold.error());
  const auto versions = parts_->versions({});
  if (!versions) return fail(versions.error());
  const auto manifests = parts_->manifests(*versions);
  if (!manifests) return fail(manifests.error());
  Marker live(*parts_);
  for (const archive::Manifest& manifest : *manifests) {
    if (Status marked = live.add(manifest, [](const ObjectId&) {}); !marked)
      return fail(std::move(marked.error()));
  }
  const auto listed = parts_->backend->list(kChunkKeys);
  if (!listed) return fail(listed.error());
  ArchiveGarbage garbage;
  garbage.saves = versions->size();
  std::vector<ObjectKey> keys;
  for (const ListedObject& object : *listed) {
    const auto id = archive::id_of(object.key);
    if (id && live.has(*id)) {
      ++garbage.kept_objects;
      garbage.kept_bytes += object.bytes;
    } else {
      ++garbage.objects;
      garbage.bytes += object.bytes;
      keys.push_back(object.key);
    }
  }
  if (dry_run) return garbage;
  if (Status status = parts_->backend->remove(keys); !status)
    return fail(std::move(status.error()));
  return garbage;
}

Result<std::vector<std::uint64_t>> Archive::added_bytes(std::span<const ArchiveVersion> versions) {
  const auto manifests = parts_->manifests(versions);
  if (!manifests) return fail(manifests.error());
  const auto listed = parts_->backend->list(kChunkKeys);
  if (!listed) return fail(listed.error());
  std::unordered_map<ObjectId, std::uint64_t, archive::HashOfId> sizes;
  for (const ListedObject& object : *listed) {
    if (const auto id = archive::id_of(object.key)) sizes.emplace(*id, object.bytes);
  }
  Marker live(*parts_);
  std::vector<std::uint64_t> added;
  for (const archive::Manifest& manifest : *manifests) {
    added.push_back(0);
    Status marked = live.add(manifest, [&](const ObjectId& id) {
      const auto size = sizes.find(id);
      added.back() += size == sizes.end() ? 0 : size->second;
    });
    if (!marked) return fail(std::move(marked.error()));
  }
  return added;
}

}  // namespace hdb
