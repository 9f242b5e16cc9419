// Exact dumps as texts in memory, for tests and fuzzers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exact/lines.hpp"
#include "exact/spooled_image.hpp"
#include "hdb/file_info.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test {

/// The lines of an image, without their ends. Errors: those of dump_exact.
[[nodiscard]] Result<std::vector<std::string>> dumped_lines(
    const ImageSource& image, const std::optional<inspect::DumpedFile>& file = {});
/// The image that lines make.
[[nodiscard]] Result<std::unique_ptr<inspect::SpooledImage>> imported(
    const std::vector<std::string>& lines, const ReadLimits& limits = {});

}  // namespace hdb::test
