// Lists and nodes are read through the cache, as saves share most of them.
#include "archive/save_tree.hpp"

#include <utility>

namespace hdb::archive {

Status walk_save(ObjectStore& store, const Manifest& manifest,
                 const std::function<void(const TreeObject&)>& visit,
                 const std::function<bool(const ObjectId&)>& skip,
                 const std::function<void(const TreeObject&, Error)>& on_fault) {
  const TreeObject list{manifest.root, manifest.root_bytes, nullptr, nullptr};
  const auto fault = [&](const TreeObject& object, const Error& error) -> Status {
    if (!on_fault) return fail(Error(error));
    on_fault(object, error);
    return {};
  };
  visit(list);
  if (manifest.root_bytes / kRootEntryBytes > format::kMaxBlocks)
    return fault(list, {ErrorCode::bad_archive, "the list of blocks is too long"});
  const auto root = store.read(manifest.root, manifest.root_bytes, true);
  if (!root) return fault(list, root.error());
  const auto entries = decode_root(**root);
  if (!entries) return fault(list, entries.error());
  for (const RootEntry& entry : *entries) {
    if (entry.kind == BlockKind::metadata) continue;
    TreeObject object{entry.id, entry.block.stored_bytes, &entry, nullptr};
    if (entry.kind != BlockKind::chunks) {
      visit(object);
      continue;
    }
    const auto node_bytes = node_bytes_of(entry.block);
    if (!node_bytes) {
      if (Status status = fault(object, node_bytes.error()); !status) return status;
      continue;
    }
    object.raw_bytes = *node_bytes;
    visit(object);
    if (skip(entry.id)) continue;
    const auto node = store.read(entry.id, *node_bytes, true);
    const auto chunks = node ? decode_node(**node, entry.block)
                             : Result<std::vector<NodeChunk>>(fail(node.error()));
    if (!chunks) {
      if (Status status = fault(object, chunks.error()); !status) return status;
      continue;
    }
    for (const NodeChunk& chunk : *chunks) visit({chunk.id, chunk.raw_bytes, &entry, &chunk});
  }
  return {};
}

}  // namespace hdb::archive
