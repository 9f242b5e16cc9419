// The call that opens archive files in builds without SQLite: an error.
#include "hdb/archive_backend.hpp"

namespace hdb {

Result<std::unique_ptr<ArchiveBackend>> open_archive_file(const std::string& path,
                                                          const ArchiveOptions& options) {
  static_cast<void>(options);
  return fail(Error{ErrorCode::archive_not_supported,
                    "this build has no support for archive files: SQLite was not found",
                    kNoOffset,
                    {},
                    path});
}

}  // namespace hdb
