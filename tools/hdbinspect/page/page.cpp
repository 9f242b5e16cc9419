// Saves as base64, JSON as it is, each in an element of its own.
#include "page/page.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "assets.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

// What is turned into base64 at a time: a multiple of 3, so that pieces join without padding.
constexpr std::uint64_t kPieceBytes = std::uint64_t{3} << 20;
constexpr std::string_view kMarker = "<!--saves-->";

// Errors of the system, which say nothing about the file.
bool is_fatal(const Error& error) {
  const ErrorCategory category = category_of(error.code);
  return category == ErrorCategory::io || category == ErrorCategory::cancelled;
}

}  // namespace

Page::Page() : text_(viewer_page().substr(0, viewer_page().find(kMarker))) {}

Result<Validation> Page::add_save(const std::string& path) {
  auto source = open_source(path);
  if (!source) return fail(std::move(source.error()));
  const auto size = (*source)->size();
  if (!size) return fail(with_file(size.error(), path));
  save_bytes_ += *size;
  if (save_bytes_ > kMaxSaveBytes) {
    return fail(with_file(
        {ErrorCode::limit_exceeded, "the saves have more than " + size_text(kMaxSaveBytes)}, path));
  }
  text_.reserve(text_.size() + static_cast<std::size_t>(*size / 3 * 4) + viewer_page().size());
  text_ += fmt::format("<script type=\"application/x-hdb\" data-name=\"{}\">",
                       base64(std::as_bytes(std::span<const char>(shown_name(path)))));
  for (std::uint64_t offset = 0; offset < *size; offset += kPieceBytes) {
    Bytes piece(static_cast<std::size_t>(std::min(kPieceBytes, *size - offset)));
    if (Status read = (*source)->read_at(offset, piece); !read)
      return fail(with_file(read.error(), path));
    text_ += base64(piece);
  }
  text_ += "</script>\n";
  ValidationOptions options;
  options.level = ValidationLevel::deep;
  options.threads = worker_threads();
  options.limits = read_limits();
  Validation found = validate(*std::move(source), options);
  if (found.trouble && is_fatal(*found.trouble)) return fail(with_file(*found.trouble, path));
  return found;
}

void Page::add_data(std::string_view kind, std::string_view lines) {
  text_ += fmt::format("<script type=\"application/x-hdb-{}\">", kind);
  // A '<', which only texts in JSON have, could end the element.
  for (const char c : lines) {
    if (c == '<') {
      text_ += "\\u003c";
    } else {
      text_ += c;
    }
  }
  text_ += "</script>\n";
}

void Page::begin_with(std::string_view view) {
  text_ += fmt::format("<script type=\"application/x-hdb-view\">{}</script>\n", view);
}

std::string Page::finish() && {
  const std::string_view page = viewer_page();
  text_ += page.substr(page.find(kMarker) + kMarker.size());
  return std::move(text_);
}

std::string_view next_step_of_page(const Error& error) noexcept {
  if (error.code != ErrorCode::limit_exceeded) return {};
  return "run hdbinspect open without files, and drop them on the page";
}

}  // namespace hdb::inspect
