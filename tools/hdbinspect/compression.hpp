// --codec and --level, as every command takes them that writes a save file.
#pragma once

#include <cstdint>
#include <string>

#include "hdb/inspect/image.hpp"
#include "option.hpp"

namespace hdb::inspect {

/// What was asked for. Its options point into it.
struct Compression {
  std::string codec = "zstd";
  std::uint64_t level = 1;

  [[nodiscard]] Option codec_option() {
    return {"--codec=none|zstd", &codec, "How columns are compressed: zstd (default) or none"};
  }
  [[nodiscard]] Option level_option() {
    return {"--level N", Number{&level, 1, 19}, "zstd level, 1 (default) to 19"};
  }
  void apply(WriteOptions& options) const {
    options.codec = codec == "none" ? Codec::none : Codec::zstd;
    options.level = static_cast<int>(level);
  }
};

}  // namespace hdb::inspect
