// Walks what saves consist of: the list of blocks, the nodes, the chunks.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_set>

#include "archive/archive_parts.hpp"

namespace hdb::archive {

/// An object that a save needs.
struct TreeObject {
  ObjectId id = {};
  std::uint64_t raw_bytes = 0;
  const RootEntry* entry = nullptr;  ///< The block that it belongs to; null: the list of blocks.
  const NodeChunk* chunk = nullptr;  ///< The chunk that it is; null: it is none.
};

/// Calls `visit` for every object of a save, an object before those that it leads to. Nodes for
/// which `skip(id)` is true are visited, but not followed.
/// Errors: those of reading lists and nodes, with the place of the object in the save. With
/// `on_fault`, that gets them instead, and the walk goes on.
[[nodiscard]] Status walk_save(ObjectStore& store, const Manifest& manifest,
                               const std::function<void(const TreeObject&)>& visit,
                               const std::function<bool(const ObjectId&)>& skip,
                               const std::function<void(const TreeObject&, Error)>& on_fault = {});

/// The error of a save that cannot have its number, as `theirs` has it; nothing if that is the same
/// save: state, metadata and all blocks, also those that the state hash leaves out.
/// Errors: those of reading the lists of blocks.
[[nodiscard]] Result<std::optional<Error>> conflict_of(Archive::Parts& parts,
                                                       const Manifest& manifest,
                                                       Archive::Parts& target,
                                                       const Manifest& theirs);

}  // namespace hdb::archive
