// Archive::collect_garbage: marks what the manifests lead to, and removes the rest.
#include <utility>

#include "archive/save_tree.hpp"

namespace hdb {
namespace {

using archive::ObjectId;
using Ids = std::unordered_set<ObjectId, archive::HashOfId>;

// All objects of the saves, and what they are the differences from.
Result<Ids> mark(Archive::Parts& parts, std::span<const archive::Manifest> manifests) {
  Ids live;
  Ids followed;
  std::vector<ObjectId> unread;
  for (const archive::Manifest& manifest : manifests) {
    Status status = archive::walk_save(
        *parts.objects, manifest,
        [&](const archive::TreeObject& object) {
          if (live.insert(object.id).second) unread.push_back(object.id);
        },
        [&](const ObjectId& node) { return !followed.insert(node).second; });
    if (!status)
      return fail(parts.about(std::move(status.error()), {manifest.world, manifest.sequence}));
  }
  while (!unread.empty()) {
    const ObjectId id = unread.back();
    unread.pop_back();
    const auto stored = parts.objects->stored(id);
    if (!stored) return fail(stored.error());
    const auto object = archive::parse_object(**stored);
    if (!object) return fail(object.error());
    if (object->is_difference && live.insert(object->base).second) unread.push_back(object->base);
  }
  return live;
}

}  // namespace

Result<ArchiveGarbage> Archive::collect_garbage(bool dry_run) {
  // AR5: no put runs from here on; those before have their manifests.
  const auto hold = parts_->backend->hold(HoldKind::collect, parts_->options.lock_timeout);
  if (!hold) return fail(hold.error());
  const auto versions = parts_->versions({});
  if (!versions) return fail(versions.error());
  const auto manifests = parts_->manifests(*versions);
  if (!manifests) return fail(manifests.error());
  const auto live = mark(*parts_, *manifests);
  if (!live) return fail(live.error());
  const auto listed = parts_->backend->list(kChunkKeys);
  if (!listed) return fail(listed.error());
  ArchiveGarbage garbage;
  garbage.saves = versions->size();
  std::vector<ObjectKey> keys;
  for (const ListedObject& object : *listed) {
    const auto id = archive::id_of(object.key);
    if (id && live->contains(*id)) {
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

}  // namespace hdb
