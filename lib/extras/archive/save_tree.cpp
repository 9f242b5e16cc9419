// Lists and nodes are read through the cache, as saves share most of them.
#include "archive/save_tree.hpp"

#include <algorithm>
#include <utility>

#include "format/frame/catalog.hpp"
#include "hdb/inspect/text.hpp"

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

namespace {

Result<std::vector<RootEntry>> blocks_of(Archive::Parts& parts, const Manifest& manifest) {
  const auto source = VersionSource::open(parts.objects, manifest, {});
  if (source) return (*source)->entries();
  return fail(parts.about(source.error(), {manifest.world, manifest.sequence}));
}

}  // namespace

Result<std::optional<Error>> conflict_of(Archive::Parts& parts, const Manifest& manifest,
                                         Archive::Parts& target, const Manifest& theirs) {
  const bool has_same_state = theirs.state_hash == manifest.state_hash;
  if (has_same_state && theirs.metadata == manifest.metadata) {
    if (theirs.root == manifest.root) return std::nullopt;
    // Lists differ, too, if blocks are kept in another way.
    const auto ours = blocks_of(parts, manifest);
    if (!ours) return fail(ours.error());
    const auto others = blocks_of(target, theirs);
    if (!others) return fail(others.error());
    if (std::equal(ours->begin(), ours->end(), others->begin(), others->end(),
                   [](const RootEntry& a, const RootEntry& b) {
                     return format::same_block(a.block, b.block);
                   })) {
      return std::nullopt;
    }
  }
  const auto metadata = format::decode_metadata(theirs.metadata, 0);
  const std::string title =
      metadata && !metadata->title.empty() ? " '" + escape_text(metadata->title) + "'" : "";
  return target.about({ErrorCode::version_exists,
                       "another save" + title + " with " + (has_same_state ? "the same " : "") +
                           "state hash " + theirs.state_hash.hex() + " has this number already" +
                           (has_same_state ? "; metadata, thumbnail or tables that the state hash "
                                             "leaves out differ"
                                           : "")},
                      {theirs.world, theirs.sequence});
}

}  // namespace hdb::archive
