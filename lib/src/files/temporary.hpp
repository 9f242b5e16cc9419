// Temporary files of one target: names that nobody guesses, creation, and removal after a crash.
// Reading and writing whole spans.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "files/os_calls.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"

namespace hdb {

/// Names in the folder of a save: ".<hash of the target's name>-<random>.hdb.tmp". The length does
/// not depend on the target's, so that the longest name has room.
class TemporaryNames {
 public:
  explicit TemporaryNames(const std::string& target_name);

  /// Whether `name` is a temporary of this target.
  [[nodiscard]] bool matches(const std::string& name) const;
  [[nodiscard]] OsResult<std::string> make(FileSystem& files) const;
  /// The name with `word` for the random part; `matches` does not hold for it.
  [[nodiscard]] std::string with(const std::string& word) const;

 private:
  std::string prefix_;
};

/// Whether `name` is a temporary of any target, or a lock file.
[[nodiscard]] bool is_name_of_saver(std::string_view name) noexcept;

struct Temporary {
  OwnedDescriptor file;
  std::string name;
};

/// Creates an empty temporary of the target in `directory`. While it is open, others can see that
/// somebody holds it, if the file system has locks.
[[nodiscard]] Result<Temporary> create_temporary(FileSystem& files, Descriptor directory,
                                                 const std::string& target_name,
                                                 const std::string& path);

/// Removes the temporaries of a target that is locked (null: none), and what savers of other
/// targets left in the folder, their lock files too, if it is a day old and no saver holds it.
/// Looks at no more than a thousand of those. Failures are left to the next save: they must not
/// stop this one.
HDB_INSPECT_API void remove_stale_temporaries(FileSystem& files, Descriptor directory,
                                              const std::string* locked_target = nullptr);

/// Fills `out` from `offset` on, up to the end of the file. Returns the number of bytes read.
[[nodiscard]] OsResult<std::size_t> read_fully(FileSystem& files, Descriptor file,
                                               std::uint64_t offset, std::span<std::byte> out);

/// Writes all of `bytes`: short writes go on, interrupted and empty ones are repeated.
[[nodiscard]] OsStatus write_all(FileSystem& files, Descriptor file,
                                 std::span<const std::byte> bytes);

}  // namespace hdb
