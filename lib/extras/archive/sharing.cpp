// Archive::sharing: what each field takes, and what the saves share.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "archive/save_tree.hpp"

namespace hdb {
namespace {

using archive::Manifest;
using archive::ObjectId;
using archive::TreeObject;

// The row of each column of each table of one catalog.
struct CatalogRows {
  std::vector<std::vector<ArchiveShare*>> columns;  // by number in the file
  std::vector<ArchiveShare*> free_lists;
  std::vector<ArchiveShare*> nodes;
  std::vector<ArchiveShare*> whole;
};

class SharingCounter {
 public:
  explicit SharingCounter(Archive::Parts& parts) : parts_(parts) {}

  Result<ArchiveSharing> run(std::string_view world) {
    const auto listed = parts_.backend->list(kChunkKeys);
    if (!listed) return fail(listed.error());
    for (const ListedObject& object : *listed) {
      if (const auto id = archive::id_of(object.key)) stored_.emplace(*id, object.bytes);
    }
    const auto versions = parts_.versions(world);
    if (!versions) return fail(versions.error());
    if (auto whole = parts_.check_list(nullptr); !whole) return fail(std::move(whole.error()));
    const auto manifests = parts_.manifests(*versions);
    if (!manifests) return fail(manifests.error());
    for (std::size_t i = 0; i < manifests->size(); ++i) {
      if (Status status = add((*versions)[i], (*manifests)[i]); !status)
        return fail(parts_.about(std::move(status.error()), (*versions)[i]));
    }
    if (world.empty()) {
      for (const auto& [id, bytes] : stored_) {
        ArchiveShare& rest = *row({}, "(bases of differences, and garbage)");
        ++rest.objects;
        rest.stored_bytes += bytes;
      }
    }
    for (auto& [key, share] : shares_) {
      if (share.references == 0 && share.objects == 0) continue;
      sharing_.stored_bytes += share.stored_bytes;
      sharing_.shares.push_back(std::move(share));
    }
    std::stable_sort(sharing_.shares.begin(), sharing_.shares.end(),
                     [](const ArchiveShare& a, const ArchiveShare& b) {
                       return a.stored_bytes > b.stored_bytes;
                     });
    return std::move(sharing_);
  }

 private:
  ArchiveShare* row(const std::string& table, const std::string& field) {
    ArchiveShare& share = shares_[{table, field}];  // the nodes of a map do not move
    share.table = table;
    share.field = field;
    return &share;
  }

  // Most saves have the catalog of the one before.
  Status open_catalog(const ArchiveVersion& version,
                      const std::vector<archive::RootEntry>& entries) {
    const auto catalog = std::find_if(entries.begin(), entries.end(), [](const auto& entry) {
      return entry.block.type == format::type_number(format::BlockType::catalog);
    });
    if (catalog == entries.end()) return fail(ErrorCode::bad_archive, "the save has no catalog");
    if (catalog->id == catalog_) return {};
    auto source = parts_.source(version, {});
    if (!source) return fail(std::move(source.error()));
    const auto reader = Reader::open(std::move(*source));
    if (!reader) return fail(reader.error());
    rows_ = {};
    for (const TableDescriptor& table : (*reader)->tables()) {
      std::vector<ArchiveShare*> columns = {row(table.name, "(slots)"), row(table.name, "(slots)"),
                                            row(table.name, "(dense positions)")};
      for (const Column& column : columns_of((*reader)->schemas()[table.schema])) {
        std::string path = column.path;
        if (path.ends_with('?')) path.pop_back();
        columns.push_back(row(table.name, path));
      }
      rows_.columns.push_back(std::move(columns));
      rows_.free_lists.push_back(row(table.name, "(free list)"));
      rows_.nodes.push_back(row(table.name, "(nodes)"));
      rows_.whole.push_back(row(table.name, "(whole row groups)"));
    }
    catalog_ = catalog->id;
    return {};
  }

  [[nodiscard]] ArchiveShare* row_of(const TreeObject& object) {
    if (object.entry == nullptr) return row({}, "(lists of blocks)");
    const BlockInfo& block = object.entry->block;
    const bool is_list = block.type == format::type_number(format::BlockType::free_list);
    if (object.entry->kind == archive::BlockKind::whole && block.table < rows_.whole.size())
      return (is_list ? rows_.free_lists : rows_.whole)[block.table];
    if (object.entry->kind == archive::BlockKind::chunks && block.table < rows_.nodes.size()) {
      if (object.chunk == nullptr) return rows_.nodes[block.table];
      if (is_list) return rows_.free_lists[block.table];
      const auto& columns = rows_.columns[block.table];
      if (object.chunk->column < columns.size()) return columns[object.chunk->column];
    }
    return row({}, "(" + block_type_text(block.type) + "s)");
  }

  Status add(const ArchiveVersion& version, const Manifest& manifest) {
    ++sharing_.saves;
    sharing_.raw_bytes += manifest.file_bytes;
    ArchiveShare& manifests = *row({}, "(manifests)");
    ++manifests.references;
    ++manifests.objects;
    const std::size_t bytes = archive::encode_manifest(manifest).size();
    manifests.raw_bytes += bytes;
    manifests.stored_bytes += bytes;
    const auto root = parts_.objects->read(manifest.root, manifest.root_bytes, true);
    if (!root) return fail(root.error());
    const auto entries = archive::decode_root(**root);
    if (!entries) return fail(entries.error());
    if (Status status = open_catalog(version, *entries); !status) return status;
    return archive::walk_save(
        *parts_.objects, manifest, [&](const TreeObject& object) { count(object); },
        [](const ObjectId&) { return false; });
  }

  void count(const TreeObject& object) {
    ArchiveShare& share = *row_of(object);
    ++share.references;
    share.raw_bytes += object.raw_bytes;
    const auto stored = stored_.find(object.id);
    if (stored == stored_.end()) return;  // counted before
    ++share.objects;
    share.stored_bytes += stored->second;
    stored_.erase(stored);
  }

  Archive::Parts& parts_;
  ArchiveSharing sharing_;
  std::map<std::pair<std::string, std::string>, ArchiveShare> shares_;
  std::unordered_map<ObjectId, std::uint64_t, archive::HashOfId> stored_;  // not counted yet
  ObjectId catalog_ = {};
  CatalogRows rows_;
};

}  // namespace

Result<ArchiveSharing> Archive::sharing(std::string_view world) {
  return SharingCounter(*parts_).run(world);
}

}  // namespace hdb
