// Repairs damaged bytes and compares what comes out with what was.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/inspect.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/salvage.hpp"

namespace hdb::test {

/// A repair and its output.
struct Repaired {
  std::optional<Error> error;  ///< Nothing could be salvaged, or the image was refused.
  bool has_loss = false;
  bool is_sound = false;
  std::vector<TableSalvage> tables;
  std::vector<FrameFault> faults;
  std::vector<Error> unusable;  ///< Neighbours.
  Bytes bytes;
  std::string fault;  ///< What is wrong with the output: must stay empty.

  [[nodiscard]] const TableSalvage& table(const std::string& name) const;
};

/// Salvages `bytes`, writes the image, and validates it (deep, unless handles are kept). The
/// neighbours are called "0", "1", ...
[[nodiscard]] Repaired repair(std::span<const std::byte> bytes, const SalvageOptions& options = {},
                              const std::vector<Bytes>& neighbours = {});

/// A row group, as table number and group.
using GroupKey = std::pair<std::size_t, std::uint64_t>;

/// What differs between two files besides these row groups: states, generations, columns, the order
/// of what is left, the free list (but for lost slots; `with_free_lists`), metadata, thumbnail.
/// Empty: nothing.
[[nodiscard]] std::string difference(std::span<const std::byte> before,
                                     std::span<const std::byte> after,
                                     const std::set<GroupKey>& damaged,
                                     bool with_free_lists = true);

/// The row groups whose records this block of a sound file holds: those of a pack, too.
[[nodiscard]] std::set<GroupKey> groups_in(std::span<const std::byte> file, const BlockInfo& block);

/// The blocks of a sound file.
[[nodiscard]] std::vector<BlockInfo> blocks_of(std::span<const std::byte> file);

}  // namespace hdb::test
