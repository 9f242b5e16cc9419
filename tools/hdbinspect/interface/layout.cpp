// Wraps words; sets lists in two columns where there is room for them.
#include "interface/layout.hpp"

#include <algorithm>

#include "system/system.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::size_t kLeastHelpColumns = 40;
constexpr std::size_t kMostHelpColumns = 100;
constexpr std::size_t kUsualColumns = 80;
constexpr std::size_t kLongestNameBeside = 32;
constexpr std::size_t kLeastTextBeside = 24;

std::string blanks(std::size_t count) { return std::string(count, ' '); }

// A command line over several lines, as a shell joins them.
std::string command_lines(std::string_view command, std::size_t width) {
  std::string text;
  std::string line = "  $";
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t end = std::min(command.find(' ', at), command.size());
    const std::string_view word = command.substr(at, end - at);
    const std::size_t tail = end < command.size() ? 2 : 0;  // " \"
    if (line.size() + 1 + word.size() + tail > width && line.size() > 7) {
      text += line + " \\\n";
      line = blanks(7);  // and the one before the word
    }
    line += ' ';
    line += word;
    at = end + 1;
  }
  return text + line + '\n';
}

}  // namespace

std::size_t help_columns(int fd) {
  return std::clamp(terminal_columns(fd, kUsualColumns), kLeastHelpColumns, kMostHelpColumns);
}

std::string wrapped(std::string_view begin, std::string_view text, std::size_t indent,
                    std::size_t width) {
  std::string out;
  std::string line(begin);
  bool fresh = true;  // no word of the text is in the line
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!fresh && display_width(line) + 1 + display_width(word) > width) {
      out += line + '\n';
      line = blanks(indent);
      fresh = true;
    }
    if (!fresh) line += ' ';
    while (word.size() > 1 && display_width(line) + display_width(word) > width &&
           width > indent + 1) {
      const std::size_t room = std::max<std::size_t>(1, width - std::min(line.size(), width - 1));
      line += word.substr(0, std::min(room, word.size() - 1));
      word.remove_prefix(std::min(room, word.size() - 1));
      out += line + '\n';
      line = blanks(indent);
    }
    line += word;
    fresh = false;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return out + line + '\n';
}

std::string paragraphs(const std::vector<std::string>& texts, std::size_t indent,
                       std::size_t width) {
  std::string out;
  for (const std::string& text : texts) {
    const std::size_t own = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t all = indent + own;
    // What is set in columns keeps its blanks as long as it fits.
    if (indent + display_width(text) <= width) {
      out += (text.empty() ? text : blanks(indent) + text) + '\n';
    } else {
      out += wrapped(blanks(all), std::string_view(text).substr(own), all, width);
    }
  }
  return out;
}

std::string definitions(const std::vector<Meaning>& list, std::size_t width) {
  std::size_t names = 0;
  for (const Meaning& entry : list) {
    if (display_width(entry.name) <= kLongestNameBeside)
      names = std::max(names, display_width(entry.name));
  }
  const std::size_t beside = 2 + names + 2;
  const bool two_columns = beside + kLeastTextBeside <= width;
  std::string out;
  for (const Meaning& entry : list) {
    if (two_columns && display_width(entry.name) <= names) {
      out += wrapped("  " + pad_right(entry.name, names) + "  ", entry.text, beside, width);
    } else {
      const std::size_t below = two_columns ? beside : 6;
      out += wrapped("  ", entry.name, 4, width) + wrapped(blanks(below), entry.text, below, width);
    }
  }
  return out;
}

std::string example_lines(const std::vector<Example>& examples, std::size_t width) {
  const auto fits = [width](const Example& example, std::size_t commands) {
    return example.remark.empty() || display_width(example.command) > commands ||
           4 + commands + 3 + display_width(example.remark) <= width;
  };
  // The longest commands give way, until the remarks of all others fit beside them.
  std::vector<std::size_t> lengths{0};
  for (const Example& example : examples) {
    if (!example.remark.empty()) lengths.push_back(display_width(example.command));
  }
  std::sort(lengths.begin(), lengths.end());
  while (lengths.size() > 1 &&
         !std::all_of(examples.begin(), examples.end(),
                      [&](const Example& example) { return fits(example, lengths.back()); })) {
    lengths.pop_back();
  }
  const std::size_t commands = lengths.back();
  std::string out;
  for (const Example& example : examples) {
    if (!example.remark.empty() && display_width(example.command) <= commands) {
      out += "  $ " + pad_right(example.command, commands) + "   " + example.remark + '\n';
    } else {
      out += command_lines(example.command, width);
      if (!example.remark.empty()) out += wrapped(blanks(6), example.remark, 6, width);
    }
  }
  return out;
}

}  // namespace hdb::inspect
