// What a loading archive allocates. Private to record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hdb/detail/record/decode_archive.hpp"

namespace hdb::detail::record {

struct DecodeArchive::Buffers {
  explicit Buffers(const Plan& stored)
      : cursors(stored.columns.size()), visits(stored.nodes.size()), tallies(stored.nodes.size()) {}

  std::vector<ColumnCursor> cursors;
  std::vector<std::uint64_t> visits;
  std::vector<Tally> tallies;
  std::vector<std::size_t> dropped_rows;
};

}  // namespace hdb::detail::record
