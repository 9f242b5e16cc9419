// Archive::verify: the store's own checks, then every object that a save needs.
#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "archive/save_tree.hpp"

namespace hdb {
namespace {

using archive::Manifest;
using archive::ObjectId;
using archive::TreeObject;

class Verifier {
 public:
  explicit Verifier(Archive::Parts& parts) : parts_(parts) {}

  Result<ArchiveCheck> run(const std::function<bool(std::uint64_t, std::uint64_t)>& on_progress) {
    auto own = parts_.backend->check_store();
    if (!own) return fail(std::move(own.error()));
    const auto versions = parts_.versions({});
    if (!versions) return fail(versions.error());
    check_.saves = versions->size();
    for (const ArchiveVersion& version : *versions) {
      auto manifest = parts_.manifest(version);
      if (manifest) {
        walk(version, *manifest);
      } else {
        check_.faults.push_back({parts_.listed(manifest.error(), version), {version}});
      }
    }
    std::uint64_t done = 0;
    for (auto& [id, use] : uses_) {
      if (on_progress && !on_progress(done++, uses_.size()))
        return fail(ErrorCode::cancelled, "cancelled");
      check_object(id, use);
    }
    if (!fault_of_.empty()) name_saves(*versions);
    for (Error& error : *own) check_.faults.push_back({std::move(error), {}});
    std::sort(check_.faults.begin(), check_.faults.end(),
              [](const ArchiveFault& a, const ArchiveFault& b) {
                return std::tie(a.error.file, a.error.where, a.error.what) <
                       std::tie(b.error.file, b.error.where, b.error.what);
              });
    return std::move(check_);
  }

 private:
  struct Use {
    std::uint64_t raw_bytes = 0;
    ArchiveVersion save;  // the first one that needs the object
    BlockInfo block;      // where it is in that save
    ChunkInfo chunk;
    bool has_block = false;
    bool has_chunk = false;
  };

  void walk(const ArchiveVersion& version, const Manifest& manifest) {
    Status walked = archive::walk_save(
        *parts_.objects, manifest, [&](const TreeObject& object) { note(version, object); },
        [](const ObjectId&) { return false; },
        [&](const TreeObject& object, Error error) { report(object.id, std::move(error)); });
    if (!walked) check_.faults.push_back({std::move(walked.error()), {version}});
  }

  void note(const ArchiveVersion& version, const TreeObject& object) {
    Use& use = uses_[object.id];
    if (use.save.world.empty()) use.save = version;
    if (use.raw_bytes != 0 || use.has_block) return;
    use.raw_bytes = object.raw_bytes;
    if (object.entry != nullptr) {
      use.block = object.entry->block;
      use.has_block = true;
    }
    if (object.chunk != nullptr) {
      use.chunk.column = object.chunk->column;
      use.chunk.piece = object.chunk->piece;
      use.has_chunk = true;
    }
  }

  void check_object(const ObjectId& id, Use& use) {
    ++check_.objects;
    const auto stored = parts_.objects->stored(id);
    if (!stored) return report(id, stored.error());
    check_.bytes += (*stored)->size();
    const auto object = archive::parse_object(**stored);
    if (!object) return report(id, named(object.error(), id));
    if (object->raw_bytes != use.raw_bytes) {
      return report(
          id, named({ErrorCode::bad_archive, "the object has another size than expected"}, id));
    }
    bytes_.resize(static_cast<std::size_t>(use.raw_bytes));
    const archive::ObjectRequest request{id, bytes_};
    if (Status status = parts_.objects->read_all({&request, 1}, true); !status)
      report(id, std::move(status.error()));
  }

  Error named(Error error, const ObjectId& id) const {
    error.where = archive::key_of(id);
    error.file = parts_.backend->place();
    return error;
  }

  // Once for each object, with its place in the first save that needs it.
  void report(const ObjectId& id, Error error) {
    if (!fault_of_.emplace(id, check_.faults.size()).second) return;
    check_.faults.push_back({std::move(error).in(place_of(uses_[id])), {}});
  }

  // Every save that needs a damaged object. Few archives are damaged, so uses_ has only one.
  void name_saves(std::span<const ArchiveVersion> versions) {
    for (const ArchiveVersion& version : versions) {
      const auto manifest = parts_.manifest(version);
      if (!manifest) continue;
      const auto name = [&](const TreeObject& object) {
        const auto fault = fault_of_.find(object.id);
        if (fault == fault_of_.end()) return;
        auto& saves = check_.faults[fault->second].saves;
        if (saves.empty() || saves.back() != version) saves.push_back(version);
      };
      static_cast<void>(archive::walk_save(
          *parts_.objects, *manifest, name, [](const ObjectId&) { return false; },
          [](const TreeObject&, const Error&) {}));
    }
  }

  std::string place_of(const Use& use) {
    const std::string save = "save " + use.save.text();
    if (!use.has_block) return "list of blocks of " + save;
    auto bytes = parts_.source(use.save, {});
    if (!bytes) return save;
    const auto reader = Reader::open(std::move(*bytes));
    if (!reader) return save;
    for (const BlockInfo& block : (*reader)->blocks()) {
      if (format::block_key(block) != format::block_key(use.block)) continue;
      return block_place(**reader, block) +
             (use.has_chunk ? chunk_place(**reader, block, use.chunk) : " > node") + " of " + save;
    }
    return save;
  }

  Archive::Parts& parts_;
  ArchiveCheck check_;
  std::unordered_map<ObjectId, Use, archive::HashOfId> uses_;
  std::unordered_map<ObjectId, std::size_t, archive::HashOfId> fault_of_;  // number in faults
  Bytes bytes_;
};

}  // namespace

Result<ArchiveCheck> Archive::verify(
    const std::function<bool(std::uint64_t, std::uint64_t)>& on_progress) {
  return Verifier(*parts_).run(on_progress);
}

}  // namespace hdb
