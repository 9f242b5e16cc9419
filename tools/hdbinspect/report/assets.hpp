// The style and script of pages, as files of this folder that the build takes in.
#pragma once

#include <string_view>

namespace hdb::inspect {

/// style.css.
[[nodiscard]] std::string_view page_style() noexcept;
/// script.js.
[[nodiscard]] std::string_view page_script() noexcept;

}  // namespace hdb::inspect
