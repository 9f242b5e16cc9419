// The options and arguments of a command, as data: the command line, its help and the completions
// read the same list.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hdb::inspect {

/// Where a whole number goes, and its range.
struct Number {
  std::uint64_t* value = nullptr;
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

struct OptionRules {
  std::vector<std::string> excludes = {};  ///< Options that must not be given too.
  bool required = false;
  bool is_file = false;  ///< The value is the name of a file.
  bool may_be_empty = false;
  /// Returns what is wrong with a value ("'x' is not a size"), or an empty text.
  std::function<std::string(const std::string&)> check = {};
};

/// One option or argument, written as in the help:
///
///   -q,--quiet               a flag
///   -t,--table TABLE         an option with a value
///   --level=quick|full|deep  an option with one of these values
///   FILE, [B], SHELL=bash|zsh  arguments; brackets: it may be missing
struct Option {
  /// A flag, one text, a text for each time that the option is given, a number.
  using Target = std::variant<bool*, std::string*, std::vector<std::string>*, Number>;

  Option(std::string_view spec, Target target, std::string help, OptionRules rules = {});

  [[nodiscard]] bool is_argument() const { return !names.front().starts_with('-'); }
  /// Whether a value follows; arguments are values.
  [[nodiscard]] bool takes_value() const { return !std::holds_alternative<bool*>(target); }
  [[nodiscard]] bool repeats() const {
    return std::holds_alternative<std::vector<std::string>*>(target);
  }
  /// The long name if there is one.
  [[nodiscard]] const std::string& main_name() const { return names.back(); }
  /// "-t, --table TABLE", "--level=quick|full|deep"; "FILE" of an argument.
  [[nodiscard]] std::string text() const;

  std::vector<std::string> names;
  std::string value;                 ///< "TABLE", "quick|full|deep"; empty: of a flag or argument.
  std::vector<std::string> choices;  ///< The only values accepted; none: any.
  Target target;
  std::string help;
  OptionRules rules;
};

using OptionList = std::vector<Option>;

/// The rules of an option whose value is the name of a file.
[[nodiscard]] inline OptionRules file_name() { return {.is_file = true}; }
/// The rules of an option that excludes others.
[[nodiscard]] inline OptionRules excludes(std::vector<std::string> names) {
  return {.excludes = std::move(names)};
}

}  // namespace hdb::inspect
