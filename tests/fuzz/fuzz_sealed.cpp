// Sound files with a few edits, sealed again so that no hash hides the decoder: nothing crashes,
// nothing unsound loads.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "load_check.hpp"
#include "require.hpp"
#include "sealed_file.hpp"
#include "sound_files.hpp"
#include "type_free_check.hpp"

namespace {

using hdb::fuzz::SealedFile;

const std::vector<SealedFile>& opened_files() {
  static const std::vector<SealedFile> files(hdb::fuzz::sound_files().begin(),
                                             hdb::fuzz::sound_files().end());
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static hdb::fuzz::LoadCheck check;
  FuzzedDataProvider in(data, size);
  // The declared tables' files twice as often: only those load.
  const auto choice = in.ConsumeIntegralInRange<std::size_t>(0, 5);
  SealedFile file = opened_files()[choice < 4 ? choice % 2 : choice - 2];
  hdb::LoadOptions how;
  how.mode = in.ConsumeBool() ? hdb::TimelineMode::exact : hdb::TimelineMode::fork;
  how.verify_state_hash = in.ConsumeIntegralInRange(0, 3) == 0;
  static constexpr int kEdits[] = {0, 1, 1, 1, 2, 2, 3, 6};  // most of them few, or nothing loads
  const int edits = in.PickValueInArray(kEdits);
  for (int i = 0; i < edits; ++i) file.edit(in);
  const hdb::Bytes bytes = file.sealed(in);

  const auto loaded = check.run(bytes, how);
  const auto read = hdb::fuzz::check_type_free(bytes, false);
  const std::string why = read ? "" : read.error().message();
  hdb::fuzz::require(!loaded || read.has_value() || !loaded->unknown_tables.empty(),
                     "F5: the type-free reader accepts what load accepts:", why.c_str());
  return 0;
}
