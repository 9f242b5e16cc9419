// What every command that writes a save file has in common: --codec and --level.
#pragma once

#include <cstdint>
#include <string>

#include "hdb/inspect/image.hpp"
#include "memory_limit.hpp"
#include "option.hpp"
#include "signals.hpp"

namespace hdb::inspect {

/// What was asked for. Its options point into it.
struct Compression {
  std::string codec;        // empty: the option was not given
  std::uint64_t level = 0;  // as above

  [[nodiscard]] bool is_given() const { return !codec.empty() || level != 0; }
  /// What contradicts itself in the options, for a message about the usage; or empty.
  [[nodiscard]] std::string mistake() const {
    return codec == "none" && level != 0 ? "--level is the level of zstd; --codec=none has none"
                                         : "";
  }

  [[nodiscard]] Option codec_option() {
    return {"--codec=none|zstd", &codec, "How columns are compressed: zstd (default) or none"};
  }
  [[nodiscard]] Option level_option() {
    return {"--level N", Number{&level, 1, 19}, "zstd level, 1 (default) to 19"};
  }
  /// With the threads and limits of this run; stops when it is interrupted.
  [[nodiscard]] WriteOptions write_options() const {
    WriteOptions options;
    options.codec = codec == "none" ? Codec::none : Codec::zstd;
    if (level != 0) options.level = static_cast<int>(level);
    options.threads = worker_threads();
    options.limits = read_limits();
    options.cancel = &interruption();
    return options;
  }
};

}  // namespace hdb::inspect
