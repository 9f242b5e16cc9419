// Saves in the background for the C interface.
#include "c/objects.hpp"

namespace hdb::c {
namespace {

const SaveReport& report_of(const hdb_saving* saving) {
  require(saving, "saving");
  const Result<SaveReport>& result = saving->saving.result();
  if (!result) throw Failure{result.error()};
  return *result;
}

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;

extern "C" {

hdb_status hdb_save_start(const hdb_snapshot* snapshot, const char* path,
                          const hdb_save_options* options, hdb_saving** saving, hdb_error** error) {
  return guarded(error, [&] {
    require(saving, "saving");
    *saving = nullptr;
    require(snapshot, "snapshot");
    require(path, "path");
    if (known_options(options, kSaveOptions).file_id != nullptr) {
      refuse_argument(
          "'file_id' must be null in a save in the background; hdb_saving_file_id has it",
          kSaveOptions);
    }
    auto made = std::make_unique<hdb_saving>();
    made->saving = hdb::save_async(snapshot->snapshot, std::string(path), save_options(options));
    *saving = made.release();
  });
}

int hdb_saving_is_done(const hdb_saving* saving) {
  return saving != nullptr && saving->saving.done() ? 1 : 0;
}

double hdb_saving_progress(const hdb_saving* saving) {
  if (saving == nullptr) return 0;
  if (saving->saving.done()) return 1;
  const hdb::Progress progress = saving->saving.progress();
  if (progress.groups_total == 0) return 0;
  return static_cast<double>(progress.groups_done) / static_cast<double>(progress.groups_total);
}

void hdb_saving_cancel(hdb_saving* saving) {
  if (saving != nullptr) saving->saving.cancel();
}

hdb_status hdb_saving_wait(const hdb_saving* saving, hdb_error** error) {
  return guarded(error, [&] { static_cast<void>(report_of(saving)); });
}

hdb_status hdb_saving_file_id(const hdb_saving* saving, hdb_hash* file_id, hdb_error** error) {
  return guarded(error, [&] {
    require(file_id, "file_id");
    *file_id = {};
    const hdb::Hash128 id = report_of(saving).file_id;
    *file_id = {id.low, id.high};
  });
}

void hdb_saving_free(hdb_saving* saving) { delete saving; }

}  // extern "C"
