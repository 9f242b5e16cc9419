// Patterns of names and paths, and the fields of a schema by path.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/inspect/values.hpp"

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
  [[nodiscard]] bool is_literal() const noexcept { return literal_; }

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
  bool literal_ = true;
  std::vector<Part> parts_;  // of every choice one after another, each with its `end`
  State begin_;
  State ends_;
  std::vector<std::uint64_t> numbers_;
};

/// The paths of all fields with columns and of the structures around them, in the order of the
/// schema: "pos", "pos.x", "items[].name".
[[nodiscard]] std::vector<std::string> field_paths(const Field& root);
/// "; did you mean 'pos.x'?" for the field nearest to `path`; empty when none is near.
[[nodiscard]] std::string near_field_hint(const Field& root, std::string_view path);

/// The fields that a path glob matches, each without those in it, in the order of the schema.
/// Numbered elements match nothing here: a field is all of its elements.
[[nodiscard]] std::vector<FieldPlace> match_fields(const Field& root, const Glob& glob);
/// The same for a walk that has come to `state` before the record: behind the table's name.
[[nodiscard]] std::vector<FieldPlace> match_fields(const Field& root, const Glob& glob,
                                                   const Glob::State& state);

/// How many columns of its own a field has before those of its children: 0, 1, or 2.
[[nodiscard]] std::uint32_t leading_columns(const Field& field) noexcept;
/// The columns of a field with all that is in it.
[[nodiscard]] std::uint32_t count_columns(const Field& field) noexcept;

}  // namespace hdb
