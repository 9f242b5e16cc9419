// Reads globs: braces are spread into choices, each choice into parts.
#include <algorithm>
#include <charconv>

#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

constexpr std::size_t kMaxGlobBytes = 4096;
constexpr std::size_t kMaxChoices = 256;

tl::unexpected<Error> bad_glob(std::string_view pattern, std::size_t at, std::string what) {
  return fail(ErrorCode::bad_name, "pattern '" + std::string(pattern) + "': " + std::move(what), {},
              at);
}

// One past the bracket that closes the one at `at`; npos: it is not closed.
std::size_t set_end(std::string_view text, std::size_t at) {
  std::size_t next = at + 1;
  if (next < text.size() && (text[next] == '!' || text[next] == '^')) ++next;
  for (bool first = true; next < text.size(); ++next, first = false) {
    if (text[next] == '\\') {
      ++next;
    } else if (text[next] == ']' && (!first || next == at + 1)) {
      return next + 1;
    }
  }
  return std::string_view::npos;
}

struct Brace {
  std::size_t begin = 0;
  std::size_t end = 0;  // of the closing brace
  std::vector<std::string_view> choices;
};

// The first pair of braces, if there is one.
Result<std::optional<Brace>> first_brace(std::string_view text, std::string_view pattern) {
  Brace brace;
  std::size_t depth = 0;
  std::size_t choice = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '[') {
      const std::size_t end = set_end(text, at);
      if (end == std::string_view::npos) return bad_glob(pattern, at, "a [ is not closed");
      at = end - 1;
    } else if (text[at] == '{') {
      if (depth++ != 0) continue;
      brace.begin = at;
      choice = at + 1;
    } else if (depth != 0 && (text[at] == '}' || (text[at] == ',' && depth == 1))) {
      if (text[at] == '}' && --depth != 0) continue;
      brace.choices.push_back(text.substr(choice, at - choice));
      choice = at + 1;
      brace.end = at;
      if (depth == 0) return brace;
    }
  }
  if (depth != 0) return bad_glob(pattern, brace.begin, "a { is not closed");
  return std::nullopt;
}

Result<std::vector<std::string>> spread_braces(std::string_view pattern) {
  std::vector<std::string> open{std::string(pattern)};
  std::vector<std::string> done;
  while (!open.empty()) {
    const std::string text = std::move(open.back());
    open.pop_back();
    const auto brace = first_brace(text, pattern);
    if (!brace) return fail(brace.error());
    if (!*brace) {
      done.push_back(text);
    } else {
      const std::string before = text.substr(0, (*brace)->begin);
      const std::string after = text.substr((*brace)->end + 1);
      for (const std::string_view choice : (*brace)->choices)
        open.push_back(before + std::string(choice) + after);
    }
    if (open.size() + done.size() > kMaxChoices)
      return bad_glob(pattern, 0, "more than " + std::to_string(kMaxChoices) + " choices");
  }
  std::reverse(done.begin(), done.end());
  return done;
}

}  // namespace

class Glob::Parser {
 public:
  Parser(std::string_view pattern, std::string_view text, bool path)
      : pattern_(pattern), text_(text), path_(path) {}

  Result<std::vector<Part>> parse() {
    bool part_expected = true;
    while (at_ < text_.size()) {
      if (path_ && text_[at_] == '.') {
        if (part_expected) return bad_glob(pattern_, at_, "a part between dots is empty");
        part_expected = true;
        ++at_;
        continue;
      }
      if (path_ && !part_expected && take_bracket('[', ']', Part::Kind::element)) continue;
      if (path_ && !part_expected && take_bracket('<', '>', Part::Kind::alternative)) continue;
      if (!part_expected)
        return bad_glob(pattern_, at_, "a dot is missing after an element or alternative");
      if (auto read = take_name(); !read) return fail(std::move(read.error()));
      part_expected = false;
    }
    if (part_expected && path_) return bad_glob(pattern_, text_.size(), "the last part is empty");
    if (parts_.empty()) parts_.emplace_back();  // the empty name
    parts_.push_back({Part::Kind::end, {}, {}});
    return std::move(parts_);
  }

 private:
  // "[3]", "[*]" or "[]".
  bool take_bracket(char open, char close, Part::Kind kind) {
    if (text_[at_] != open) return false;
    const std::size_t end = text_.find(close, at_);
    if (end == std::string_view::npos) return false;
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    Part part{kind, {}, {}};
    if (!inside.empty() && inside != "*") {
      std::uint64_t number = 0;
      const auto [next, error] =
          std::from_chars(inside.data(), inside.data() + inside.size(), number);
      if (error != std::errc{} || next != inside.data() + inside.size()) return false;
      part.number = number;
    }
    parts_.push_back(std::move(part));
    at_ = end + 1;
    return true;
  }

  Status take_name() {
    Part part;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !(path_ && text_[at_] == '.')) {
      if (path_ && at_ != begin && is_bracket()) break;
      if (auto read = take_atom(part.atoms); !read) return read;
    }
    const std::string_view text = text_.substr(begin, at_ - begin);
    if (path_ && text.find("**") != std::string_view::npos) {
      if (text != "**") return bad_glob(pattern_, begin, "** must be alone between dots");
      part = {Part::Kind::any_parts, {}, {}};
    }
    parts_.push_back(std::move(part));
    return {};
  }

  // Whether an element or alternative begins here.
  bool is_bracket() {
    const std::size_t at = at_;
    const bool taken = take_bracket('[', ']', Part::Kind::element) ||
                       take_bracket('<', '>', Part::Kind::alternative);
    if (taken) parts_.pop_back();
    at_ = at;
    return taken;
  }

  Status take_atom(std::vector<Atom>& atoms) {
    const char c = text_[at_];
    if (c == '*') {
      ++at_;
      if (atoms.empty() || atoms.back().kind != Atom::Kind::run)
        atoms.push_back({Atom::Kind::run, 0, {}});
    } else if (c == '?') {
      ++at_;
      atoms.push_back({Atom::Kind::any, 0, {}});
    } else if (c == '[') {
      return take_set(atoms);
    } else {
      if (c == '\\' && ++at_ == text_.size())
        return bad_glob(pattern_, at_ - 1, "a backslash at the end escapes nothing");
      atoms.push_back({Atom::Kind::byte, text_[at_++], {}});
    }
    return {};
  }

  Status take_set(std::vector<Atom>& atoms) {
    const std::size_t end = set_end(text_, at_);
    if (end == std::string_view::npos) return bad_glob(pattern_, at_, "a [ is not closed");
    Atom atom{Atom::Kind::set, 0, {}};
    std::size_t at = at_ + 1;
    if (text_[at] == '!' || text_[at] == '^') {
      atom.kind = Atom::Kind::set_of_others;
      ++at;
    }
    while (at < end - 1) {
      const std::uint32_t first = set_character(at);
      std::uint32_t last = first;
      if (at + 1 < end - 1 && text_[at] == '-') last = set_character(++at);
      if (last < first) return bad_glob(pattern_, at_, "a range of a set ends before it begins");
      atom.ranges.emplace_back(first, last);
    }
    if (atom.ranges.empty()) return bad_glob(pattern_, at_, "a set is empty");
    at_ = end;
    atoms.push_back(std::move(atom));
    return {};
  }

  std::uint32_t set_character(std::size_t& at) const {
    if (text_[at] == '\\') ++at;
    std::uint32_t code = 0;
    static_cast<void>(take_code_point(text_, at, code));
    return code;
  }

  std::string_view pattern_;
  std::string_view text_;
  bool path_;
  std::size_t at_ = 0;
  std::vector<Part> parts_;
};

Result<Glob> Glob::make(std::string_view pattern, bool path) {
  if (pattern.size() > kMaxGlobBytes)
    return fail(ErrorCode::bad_name,
                "a pattern is longer than " + std::to_string(kMaxGlobBytes) + " bytes");
  if (pattern.empty() && path) return fail(ErrorCode::bad_name, "a pattern is empty");
  const auto choices = spread_braces(pattern);
  if (!choices) return fail(choices.error());
  Glob glob;
  glob.text_ = pattern;
  glob.path_ = path;
  glob.literal_ = choices->size() == 1;
  for (const std::string& choice : *choices) {
    auto parts = Parser(pattern, choice, path).parse();
    if (!parts) return fail(std::move(parts.error()));
    if (glob.parts_.size() + parts->size() > kMaxParts)
      return bad_glob(pattern, 0, "more than " + std::to_string(kMaxParts) + " parts");
    glob.begin_.set(glob.parts_.size());
    for (Part& part : *parts) {
      if (part.kind == Part::Kind::end) glob.ends_.set(glob.parts_.size());
      if (part.kind == Part::Kind::element && part.number) glob.numbers_.push_back(*part.number);
      glob.literal_ = glob.literal_ && part.kind != Part::Kind::any_parts &&
                      std::all_of(part.atoms.begin(), part.atoms.end(),
                                  [](const Atom& atom) { return atom.kind == Atom::Kind::byte; });
      glob.parts_.push_back(std::move(part));
    }
  }
  std::sort(glob.numbers_.begin(), glob.numbers_.end());
  glob.numbers_.erase(std::unique(glob.numbers_.begin(), glob.numbers_.end()), glob.numbers_.end());
  glob.close(glob.begin_);
  return glob;
}

Result<Glob> Glob::of_name(std::string_view pattern) { return make(pattern, false); }
Result<Glob> Glob::of_path(std::string_view pattern) { return make(pattern, true); }

}  // namespace hdb
