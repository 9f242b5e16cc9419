// Any bytes as a snapshot file: nothing crashes, and what load or the type-free reader accepts is
// sound in every way.
#include <cstddef>
#include <cstdint>
#include <span>

#include "load_check.hpp"
#include "require.hpp"
#include "type_free_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static hdb::fuzz::LoadCheck check;
  const auto bytes = std::as_bytes(std::span(data, size));
  hdb::LoadOptions how;
  how.verify_state_hash = true;
  const auto loaded = check.run(bytes, how);
  const auto read = hdb::fuzz::check_type_free(bytes, true);
  hdb::fuzz::require(
      !loaded || read.has_value() || read.error().code == hdb::ErrorCode::raw_hash_mismatch,
      "F5: the type-free reader accepts what load accepts");
  return 0;
}
