// Which captures the files hold that this process wrote: of two saves of one target the newer
// capture wins, whatever ends last.
#pragma once

#include <cstdint>
#include <string>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/file_info.hpp"
#include "hdb/hash.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {

/// The moment of a capture: of two captures of this process the newer one has the greater number.
/// 0 for an empty snapshot.
[[nodiscard]] HDB_API std::uint64_t moment_of(const Snapshot& snapshot) noexcept;

/// The database of a capture; null for an empty snapshot. Another database may have the address
/// later, but its captures are newer.
[[nodiscard]] HDB_API const void* database_of(const Snapshot& snapshot) noexcept;

/// The capture that a file holds; 0 if this process did not write the file, or wrote 1,000 others
/// since. Any thread.
[[nodiscard]] std::uint64_t moment_of_file(const Hash128& file_id,
                                           const Hash128& state_hash) noexcept;
/// Remembers that capture, before the file has a name that others can see. Any thread.
void note_moment_of_file(const Hash128& file_id, const Hash128& state_hash,
                         std::uint64_t moment) noexcept;

/// The error of a save that must not replace `path`.
[[nodiscard]] HDB_API tl::unexpected<Error> superseded(const char* why,
                                                       const std::string& path = {});

}  // namespace hdb
