// Texts that are files of their own (the viewer's page, interface/texts/), taken in by the build.
#pragma once

#include <string_view>

namespace hdb::inspect {

/// tools/viewer/viewer.html: a page that reads saves; `<!--saves-->` is where they go.
[[nodiscard]] std::string_view viewer_page() noexcept;
/// interface/texts/completion.SHELL, a script that asks hdbinspect for words: to be sourced by bash
/// (4 or later) or fish (3 or later); for zsh a file `_hdbinspect` of fpath, which may be sourced
/// after compinit too.
[[nodiscard]] std::string_view completion_script(std::string_view shell) noexcept;
/// interface/texts/TOPIC.txt: the summary in the first line, then paragraphs, one in each line.
[[nodiscard]] std::string_view topic_file(std::string_view topic) noexcept;

}  // namespace hdb::inspect
