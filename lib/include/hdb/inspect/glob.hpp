// Globs: patterns of names ("monster*") and of field paths ("monsters.*.last_seen").
//
//   ?          one character
//   *          any characters; in a path within one part of it
//   **         in a path, as a part of its own: any number of parts, also none
//   [a-z] [!x] one character of a set, or none of it
//   {a,b}      either; the choices may hold whole parts, and braces
//   [3] [] [*] in a path: element 3 of a list, map or array; any element (a set of digits is [3-3])
//   <2> <*>    in a path: an alternative of a variant
//   \x         the character x itself
//
// Elements, alternatives and the "key" and "value" of a map need not be named: "items.name" is "items[].name". A path glob that
// matches a field takes all that is in it: "pos" takes "pos.x". Characters are code points of UTF-8; letters differ by their case.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/error.hpp"

namespace hdb {

class Glob {
 public:
  /// The most parts of a path glob, those of all choices together.
  static constexpr std::size_t kMaxParts = 256;

  /// Where a walk along a path stands in the glob.
  using State = std::bitset<kMaxParts>;

  /// A pattern of names, without parts: of tables, of strings.
  /// Errors: bad_name, telling what is not closed or too long, with its place in the pattern.
  [[nodiscard]] static Result<Glob> of_name(std::string_view pattern);
  /// A pattern of paths. Errors: as of_name; also an empty part.
  [[nodiscard]] static Result<Glob> of_path(std::string_view pattern);

  /// The pattern as it was given.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// Whether it names one thing only: no pattern in it.
  [[nodiscard]] bool is_plain() const noexcept { return plain_; }

  /// A name as a whole; a path written as "items[3].name", "tag<2>.x", "maybe?.x".
  /// Complexity: length of the text times length of the pattern.
  [[nodiscard]] bool matches(std::string_view text) const;

  // A path glob goes along a path step by step; a schema is walked once for all of its records.
  [[nodiscard]] State begin() const { return begin_; }
  [[nodiscard]] State after_name(const State& state, std::string_view name) const;
  /// An element by its number; nothing: all the elements that the glob does not number.
  [[nodiscard]] State after_element(const State& state, std::optional<std::uint64_t> number) const;
  [[nodiscard]] State after_alternative(const State& state, std::uint64_t tag) const;
  /// The "key" or "value" of a pair of a map.
  [[nodiscard]] State after_pair_part(const State& state, std::string_view name) const;
  /// Steps along a path as `matches` takes it.
  [[nodiscard]] State after_path(State state, std::string_view path) const;
  /// Whether the way so far is matched, and so all that is below.
  [[nodiscard]] bool is_match(const State& state) const { return (state & ends_).any(); }
  /// The numbers of elements that the glob names, rising.
  [[nodiscard]] const std::vector<std::uint64_t>& numbers() const noexcept { return numbers_; }

  friend bool operator==(const Glob& a, const Glob& b) { return a.text_ == b.text_; }

 private:
  struct Atom {
    enum class Kind : std::uint8_t { byte, any, run, set, set_of_others };
    Kind kind = Kind::byte;
    char byte = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  };
  struct Part {
    enum class Kind : std::uint8_t { name, any_parts, element, alternative, end };
    Kind kind = Kind::name;
    std::optional<std::uint64_t> number;  // element, alternative: which; nothing: any
    std::vector<Atom> atoms;
  };
  class Parser;
  struct AtomMatch;

  [[nodiscard]] static Result<Glob> make(std::string_view pattern, bool path);
  [[nodiscard]] static bool matches_name(const std::vector<Atom>& atoms, std::string_view name);
  void close(State& state) const;

  std::string text_;
  bool path_ = false;
  bool plain_ = true;
  std::vector<Part> parts_;  // of every choice one after another, each with its `end`
  State begin_;
  State ends_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace hdb
