// The captures in the files that this process wrote last.
#include "database/save/capture_order.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "database/tables/snapshot_data.hpp"

namespace hdb {
namespace {

// Known by the id of the file and, because programs may choose equal ids, its content. Allocates
// nothing: a save that has its name must not fail any more.
struct FileMoments {
  struct File {
    Hash128 file_id;
    Hash128 state_hash;
    std::uint64_t moment = 0;
  };
  std::mutex mutex;
  std::array<File, 1000> files;
  std::size_t next = 0;
};

FileMoments& file_moments() {
  static FileMoments& instance = *new FileMoments;  // saves may end after main
  return instance;
}

}  // namespace

std::uint64_t moment_of(const Snapshot& snapshot) noexcept {
  const auto& data = data_of(snapshot);
  return data == nullptr ? 0 : data->moment;
}

const void* database_of(const Snapshot& snapshot) noexcept {
  const auto& data = data_of(snapshot);
  return data == nullptr ? nullptr : data->pool.get();
}

std::uint64_t moment_of_file(const Hash128& file_id, const Hash128& state_hash) noexcept {
  FileMoments& known = file_moments();
  const std::lock_guard lock(known.mutex);
  std::uint64_t moment = 0;
  for (const FileMoments::File& file : known.files) {
    if (file.file_id == file_id && file.state_hash == state_hash)
      moment = std::max(moment, file.moment);
  }
  return moment;
}

void note_moment_of_file(const Hash128& file_id, const Hash128& state_hash,
                         std::uint64_t moment) noexcept {
  FileMoments& known = file_moments();
  const std::lock_guard lock(known.mutex);
  known.files[known.next] = {file_id, state_hash, moment};
  known.next = (known.next + 1) % known.files.size();
}

tl::unexpected<Error> superseded(const char* why, const std::string& path) {
  return fail(Error{ErrorCode::superseded, why, kNoOffset, {}, path});
}

}  // namespace hdb
