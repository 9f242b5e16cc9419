// The options and arguments of a command, as data: the command line and its help read the same
// list.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace hdb::inspect {

/// What a shell offers for a value: files where its name says so (FILE, OUT, A, ...), or as told.
enum class Completes : std::uint8_t { by_name, files, nothing };

/// One option ("-t,--table") or argument ("FILE").
struct Option {
  /// Where the value goes: a flag, one text, a text for each time that it is given, a number.
  using Target = std::variant<bool*, std::string*, std::vector<std::string>*, std::uint64_t*>;

  std::string names = {};
  Target target = static_cast<bool*>(nullptr);
  std::string help = {};
  std::string value = {};                 ///< What the help calls the value of an option.
  std::vector<std::string> choices = {};  ///< The only texts accepted, where there are some.
  std::uint64_t least = 0;                ///< The range of a number.
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::string> excludes = {};  ///< Options, listed before, that must not be given too.
  bool required = false;
  /// Says what is wrong with a text that is given ("'x' is no size"); empty: nothing.
  std::function<std::string(const std::string&)> check = {};
  Completes completes = Completes::by_name;

  [[nodiscard]] bool is_argument() const { return !names.starts_with('-'); }
};

using OptionList = std::vector<Option>;

}  // namespace hdb::inspect
