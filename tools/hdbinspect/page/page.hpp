// The page that reads saves (tools/viewer/viewer.html), with what it shows put into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hdb/error.hpp"
#include "hdb/inspect/validate.hpp"

namespace hdb::inspect {

/// One HTML file that loads nothing from elsewhere.
class Page {
 public:
  /// What browsers read without trouble: all saves of a page together.
  static constexpr std::uint64_t kMaxSaveBytes = std::uint64_t{256} << 20;

  Page();
  /// Puts the bytes of a save, which may be damaged, into the page, and returns what the page will
  /// find in it.
  /// Errors: those of the system, and limit_exceeded; each names the file.
  [[nodiscard]] Result<Validation> add_save(const std::string& path);
  /// Puts lines of JSON into the page, which `kind` names: "plot" or "diff".
  void add_data(std::string_view kind, std::string_view lines);
  /// The view that the page begins with, as in its address: "view=changes". Without it: the first
  /// that fits what is in the page.
  void begin_with(std::string_view view);
  [[nodiscard]] std::string finish() &&;

 private:
  std::string text_;
  std::uint64_t save_bytes_ = 0;
};

/// What to do about an error of add_save; empty: as the error says.
[[nodiscard]] std::string_view next_step_of_page(const Error& error) noexcept;

}  // namespace hdb::inspect
