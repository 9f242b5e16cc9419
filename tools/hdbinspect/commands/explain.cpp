// explain HDB-E0231: what an error means and what to do next.
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "command.hpp"
#include "hdb/base/json.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

std::string_view category_word(ErrorCategory category) noexcept {
  switch (category) {
    case ErrorCategory::corrupt: return "corrupt";
    case ErrorCategory::newer: return "newer";
    case ErrorCategory::limit: return "limit";
    case ErrorCategory::io: return "io";
    case ErrorCategory::busy: return "busy";
    case ErrorCategory::cancelled: return "cancelled";
    case ErrorCategory::mismatch: return "mismatch";
    case ErrorCategory::usage: return "usage";
  }
  return "unknown";
}

class Explain final : public Command {
 public:
  std::string_view name() const override { return "explain"; }
  std::string_view summary() const override { return "What an error means"; }
  std::string_view examples() const override {
    return "$ hdbinspect explain HDB-E0231        what this error means and what to do\n"
           "$ hdbinspect explain block_checksum   the same, by name\n"
           "$ hdbinspect explain                  all errors";
  }
  OptionList options() override {
    return {{.names = "ERROR", .target = &errors_, .help = "HDB-E0231, E0231, 231 or a name"}};
  }

  ExitStatus run(Context& context) override {
    if (errors_.empty()) {
      for (const ErrorCode code : all_error_codes()) print(context, code);
      return ExitStatus::fine;
    }
    ExitStatus status = ExitStatus::fine;
    for (const std::string& text : errors_) {
      if (const auto code = find(text)) {
        print(context, *code);
      } else {
        std::vector<std::string> names;
        for (const ErrorCode known : all_error_codes()) names.emplace_back(code_name(known));
        const std::string near = nearest_word(text, names);
        context.messages.usage(near.empty()
                                   ? fmt::format("no error '{}'", text)
                                   : fmt::format("no error '{}'; did you mean '{}'?", text, near),
                               "hdbinspect explain");
        status = ExitStatus::finding;
      }
    }
    return status;
  }

 private:
  static std::optional<ErrorCode> find(std::string_view text) {
    for (const ErrorCode code : all_error_codes()) {
      if (text == code_name(code)) return code;
    }
    for (const std::string_view prefix : {"HDB-E", "hdb-e", "E", "e"}) {
      if (text.starts_with(prefix)) {
        text.remove_prefix(prefix.size());
        break;
      }
    }
    unsigned number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || at != text.data() + text.size()) return std::nullopt;
    for (const ErrorCode code : all_error_codes()) {
      if (static_cast<unsigned>(code) == number) return code;
    }
    return std::nullopt;
  }

  void print(Context& context, ErrorCode code) const {
    if (context.globals.json) {
      JsonObject object("explanation");
      object.text("id", code_id(code)).text("name", code_name(code));
      object.text("category", category_word(category_of(code)));
      object.text("text", code_text(code)).text("next", code_next_step(code));
      return context.out.line(object.str());
    }
    if (errors_.empty()) {
      return context.out.line(
          fmt::format("{}  {:<22} {}", code_id(code), code_name(code), code_text(code)));
    }
    context.out.line(fmt::format("{} {}: {}", code_id(code), code_name(code), code_text(code)));
    context.out.line(fmt::format("  kind    {}", category_name(category_of(code))));
    if (!code_next_step(code).empty())
      context.out.line(fmt::format("  next    {}", code_next_step(code)));
  }

  std::vector<std::string> errors_;
};

}  // namespace

std::unique_ptr<Command> make_explain() { return std::make_unique<Explain>(); }

}  // namespace hdb::inspect
