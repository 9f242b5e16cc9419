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

// So many saves are named for one fault.
constexpr std::size_t kMostSaves = 16;

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
        check_.faults.push_back({std::move(manifest.error()), {version}});
      }
    }
    std::uint64_t done = 0;
    for (auto& [id, use] : uses_) {
      if (on_progress && !on_progress(done++, uses_.size()))
        return fail(ErrorCode::cancelled, "cancelled");
      check_object(id, use);
    }
    add_own(*own);
    join_equal();
    return std::move(check_);
  }

 private:
  struct Use {
    std::uint64_t raw_bytes = 0;
    std::vector<ArchiveVersion> saves;  // the first few
    BlockInfo block;                    // where it is in the first one
    ChunkInfo chunk;
    bool has_block = false;
    bool has_chunk = false;
    bool is_reported = false;
  };

  void walk(const ArchiveVersion& version, const Manifest& manifest) {
    Status walked = archive::walk_save(
        *parts_.objects, manifest, [&](const TreeObject& object) { note(version, object); },
        [](const ObjectId&) { return false; },
        [&](const TreeObject& object, Error error) { report(uses_[object.id], std::move(error)); });
    if (!walked) check_.faults.push_back({std::move(walked.error()), {version}});
  }

  void note(const ArchiveVersion& version, const TreeObject& object) {
    Use& use = uses_[object.id];
    if (use.saves.size() < kMostSaves && (use.saves.empty() || use.saves.back() != version))
      use.saves.push_back(version);
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
    if (!stored) return report(use, stored.error());
    check_.bytes += (*stored)->size();
    const auto object = archive::parse_object(**stored);
    if (!object) return report(use, named(object.error(), id));
    if (object->raw_bytes != use.raw_bytes) {
      return report(
          use, named({ErrorCode::bad_archive, "the object has another size than expected"}, id));
    }
    bytes_.resize(static_cast<std::size_t>(use.raw_bytes));
    const archive::ObjectRequest request{id, bytes_};
    if (Status status = parts_.objects->read_all({&request, 1}, true); !status)
      report(use, std::move(status.error()));
  }

  Error named(Error error, const ObjectId& id) const {
    error.where = archive::key_of(id);
    error.file = parts_.backend->place();
    return error;
  }

  // Once for each object, with its place in the first save that needs it.
  void report(Use& use, Error error) {
    if (std::exchange(use.is_reported, true)) return;
    const std::string place = place_of(use);
    if (!place.empty()) error = std::move(error).in(place);
    check_.faults.push_back({std::move(error), use.saves});
  }

  std::string place_of(const Use& use) {
    if (use.saves.empty()) return {};
    const std::string save = "save " + use.saves.front().text();
    if (!use.has_block) return "list of blocks of " + save;
    auto bytes = parts_.source(use.saves.front(), {});
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

  // What the store found: damage of an object that was reported is not reported again.
  void add_own(const std::vector<ArchiveBackend::Fault>& faults) {
    for (const ArchiveBackend::Fault& fault : faults) {
      const auto id = archive::id_of(fault.key);
      const auto use = id ? uses_.find(*id) : uses_.end();
      if (use == uses_.end()) {
        check_.faults.push_back({fault.error, {}});
      } else {
        report(use->second, fault.error);
      }
    }
  }

  // A damaged base shows in every object that leads to it: one fault, of all their saves.
  void join_equal() {
    const auto place = [](const ArchiveFault& fault) {
      return std::tie(fault.error.file, fault.error.offset, fault.error.what);
    };
    auto& faults = check_.faults;
    std::sort(faults.begin(), faults.end(), [&](const ArchiveFault& a, const ArchiveFault& b) {
      return std::tuple(place(a), std::tie(a.error.where)) <
             std::tuple(place(b), std::tie(b.error.where));
    });
    std::vector<ArchiveFault> joined;
    for (ArchiveFault& fault : faults) {
      if (joined.empty() || fault.error.offset == kNoOffset ||
          place(joined.back()) != place(fault)) {
        joined.push_back(std::move(fault));
        continue;
      }
      auto& saves = joined.back().saves;
      saves.insert(saves.end(), fault.saves.begin(), fault.saves.end());
      std::sort(saves.begin(), saves.end());
      saves.erase(std::unique(saves.begin(), saves.end()), saves.end());
    }
    faults = std::move(joined);
  }

  Archive::Parts& parts_;
  ArchiveCheck check_;
  std::unordered_map<ObjectId, Use, archive::HashOfId> uses_;
  Bytes bytes_;
};

}  // namespace

Result<ArchiveCheck> Archive::verify(
    const std::function<bool(std::uint64_t, std::uint64_t)>& on_progress) {
  return Verifier(*parts_).run(on_progress);
}

}  // namespace hdb
