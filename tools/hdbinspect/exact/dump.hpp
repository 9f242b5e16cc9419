// dump --exact: an image as lines from which import makes the same image.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "hdb/inspect/image.hpp"

namespace hdb::inspect {

/// Gives every line, without its end, to `take`, which returns false to stop early. `state_hash`
/// goes into the last line.
///
/// Memory: one row group and one record.
/// Errors: those of the image; limit_exceeded for a record that import would refuse.
[[nodiscard]] Status dump_exact(const ImageSource& image, const std::optional<Hash128>& state_hash,
                                const std::function<bool(std::string_view)>& take);

}  // namespace hdb::inspect
