// Sets the interface as roff.
#include "interface/help.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hdb::inspect {
namespace {

// Text that roff prints as it is: an ASCII minus, a quote or a dot at the beginning of a line
// included.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  for (const char c : text) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '`': out += "\\(ga"; break;
      case '\'': out += "\\(aq"; break;
      case '"': out += "\\(dq"; break;
      case '\n': out += ' '; break;
      default: out += c;
    }
  }
  return out;
}

std::string tagged(std::string_view tag, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(tag), roff(text));
}

std::string example_text(const std::vector<Example>& examples) {
  std::string out;
  for (const Example& example : examples) {
    out += fmt::format(".PP\n.in +2n\n.nf\n$ {}\n.fi\n.in\n", roff(example.command));
    if (!example.remark.empty())
      out += fmt::format(".br\n.in +6n\n{}\n.in\n", roff(example.remark));
  }
  return out;
}

// Paragraphs that begin with a blank are set as they are typed.
std::string paragraph_text(const std::vector<std::string>& texts) {
  std::string out;
  bool typed = false;
  bool fresh = true;
  for (const std::string& text : texts) {
    const bool as_typed = text.starts_with(' ');
    if (typed && !as_typed) out += ".fi\n";
    if (!typed && as_typed) out += ".PP\n.nf\n";
    if (as_typed) out += roff(text) + '\n';
    if (!as_typed && !text.empty()) out += (fresh || typed ? ".PP\n" : ".br\n") + roff(text) + '\n';
    fresh = text.empty();
    typed = as_typed;
  }
  return out + (typed ? ".fi\n" : "");
}

std::string option_text_list(const OptionList& options) {
  std::string out;
  for (const bool arguments : {true, false}) {
    for (const Option& option : options) {
      if (option.is_argument() == arguments) out += tagged(option.text(), option.help);
    }
  }
  return out;
}

std::string meanings(const std::vector<Meaning>& list) {
  std::string out;
  for (const Meaning& entry : list) out += tagged(entry.name, entry.text);
  return out;
}

constexpr const char* kSeeMain =
    ".SH SEE ALSO\n.BR hdbinspect (1)\nhas the options that every command takes.\n";

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

std::string title(const std::string& name, int section, const Interface& all) {
  return fmt::format(".TH {} {} \"\" \"{}\" \"{}\"\n", roff(upper_case(name)), section, all.version,
                     section == 1 ? "User Commands" : "Miscellanea");
}

std::string name_text(std::string_view name, std::string_view summary) {
  return fmt::format(".SH NAME\nhdbinspect\\-{} \\- {}\n", roff(name), roff(summary));
}

// A page in the list of pages.
std::string reference(std::string_view name, int section, std::string_view summary) {
  return fmt::format(".TP\n.BR hdbinspect\\-{} ({})\n{}\n", roff(name), section, roff(summary));
}

}  // namespace

std::string man_page(const Interface& all) {
  std::string out = title("hdbinspect", 1, all);
  out += ".SH NAME\nhdbinspect \\- read, validate and compare hdb save files\n";
  out +=
      ".SH SYNOPSIS\n.B hdbinspect\n[\\fIGLOBAL\\fR] \\fICOMMAND\\fR [\\fIOPTIONS\\fR] "
      "\\fIFILE\\fR...\n";
  out +=
      ".SH DESCRIPTION\n" + roff(all.purpose) +
      "\nThe save file contains the schema of its records.\n.PP\n" +
      roff(
          "Data goes to standard output; progress, warnings and errors go to standard error. No "
          "command writes its input. If FILE is -, standard input is read; -- ends the options.") +
      "\n";
  out += ".SH COMMANDS\n";
  for (const CommandPage& page : all.commands) out += reference(page.name, 1, page.summary);
  out += ".SH TOPICS\n";
  for (const Topic& topic : all.topics) out += reference(topic.name, 7, topic.summary);
  out += ".SH OPTIONS OF ALL COMMANDS\n" + option_text_list(all.globals);
  out += ".SH EXIT STATUS\n" + meanings(all.exit_statuses);
  out += ".SH ENVIRONMENT\n" + meanings(all.environment);
  out += ".SH EXAMPLES\n" + example_text(all.examples);
  return out + ".SH SEE ALSO\n.BR diff (1),\n.BR fsck (8)\n";
}

std::string man_page(const Interface& all, const CommandPage& page) {
  std::string out = title("hdbinspect-" + page.name, 1, all) + name_text(page.name, page.summary);
  out += fmt::format(".SH SYNOPSIS\n.B hdbinspect {}\n", roff(page.usage()));
  if (!page.notes.empty()) out += ".SH DESCRIPTION\n" + paragraph_text(page.notes);
  if (!page.options.empty()) out += ".SH OPTIONS\n" + option_text_list(page.options);
  out += ".SH EXAMPLES\n" + example_text(page.examples);
  out += ".SH EXIT STATUS\n" + meanings(all.exit_statuses);
  return out + kSeeMain;
}

std::string man_page(const Interface& all, const Topic& topic) {
  return title("hdbinspect-" + topic.name, 7, all) + name_text(topic.name, topic.summary) +
         ".SH DESCRIPTION\n" + paragraph_text(topic.text) + kSeeMain;
}

}  // namespace hdb::inspect
