// Sound files with a few edits, sealed again so that no hash hides the decoder: nothing crashes,
// nothing unsound loads.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "load_check.hpp"
#include "require.hpp"
#include "sealed_file.hpp"
#include "type_free_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static hdb::fuzz::LoadCheck check;
  FuzzedDataProvider in(data, size);
  hdb::fuzz::SealedFile file = hdb::fuzz::any_sound_file(in);
  hdb::LoadOptions how;
  how.mode = in.ConsumeBool() ? hdb::TimelineMode::exact : hdb::TimelineMode::fork;
  how.verify_state_hash = in.ConsumeIntegralInRange(0, 3) == 0;
  const hdb::Bytes bytes = hdb::fuzz::edited_and_sealed(std::move(file), in);

  const auto loaded = check.run(bytes, how);
  const auto read = hdb::fuzz::check_type_free(bytes, false);
  const std::string why = read ? "" : read.error().message();
  hdb::fuzz::require(!loaded || read.has_value() || !loaded->unknown_tables.empty(),
                     "F5: the type-free reader accepts what load accepts:", why.c_str());
  return 0;
}
