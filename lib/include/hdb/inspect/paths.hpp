// Glob: patterns of table names and field paths, and the fields of a schema that they match. For
// hdbinspect options such as -t and --ignore; `hdbinspect help globs` describes the patterns.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// A pattern of names or of field paths.
///
/// Example:
/// @code
/// const auto glob = hdb::Glob::of_path("monsters.{pos,**.name}");
/// if (!glob) return;  // glob.error().offset is the place in the pattern
/// assert(glob->matches("monsters.name") && glob->matches("monsters.pos.x"));
/// assert(!glob->matches("weapons.name"));
/// const auto names = hdb::Glob::of_name("level_*");
/// assert(names && names->matches("level_12"));
/// @endcode
class HDB_INSPECT_API Glob {
 public:
  /// The most parts of a path glob, over all choices in braces.
  static constexpr std::size_t kMaxParts = 256;

  /// The progress of a walk along a path.
  using State = std::bitset<kMaxParts>;

  /// A pattern of names, for example of tables; dots have no meaning.
  /// Errors: bad_name if a bracket is not closed or the pattern is too long; Error::offset is the
  /// byte offset in the pattern.
  [[nodiscard]] static Result<Glob> of_name(std::string_view pattern);
  /// A pattern of paths. Errors: as of_name; also bad_name for an empty part.
  [[nodiscard]] static Result<Glob> of_path(std::string_view pattern);

  /// The pattern as it was given.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// Whether the pattern has no special characters, so that it matches one name or path.
  [[nodiscard]] bool is_literal() const noexcept { return literal_; }

  /// Whether the whole name, or a path such as "items[3].name", "tag<2>.x", "maybe?.x", matches.
  /// Complexity: the length of the text times the length of the pattern.
  [[nodiscard]] bool matches(std::string_view text) const;

  // The members below match a path step by step, so that a tool walks a schema once for all
  // records.

  /// The state before the first step.
  [[nodiscard]] State begin() const { return begin_; }
  /// The state after a step to the field `name`.
  [[nodiscard]] State after_name(const State& state, std::string_view name) const;
  /// The state after a step to an element: element `number`, or, if none is given, any element
  /// whose number is not in numbers().
  [[nodiscard]] State after_element(const State& state, std::optional<std::uint64_t> number) const;
  /// The state after a step to an alternative of a variant.
  [[nodiscard]] State after_alternative(const State& state, std::uint64_t tag) const;
  /// The state after a step to the "key" or "value" of a pair of a map.
  [[nodiscard]] State after_pair_part(const State& state, std::string_view name) const;
  /// The state after a step from `field` to its child number `child`; `number` is the element of a
  /// list, array or map, as for after_element.
  [[nodiscard]] State after_child(const State& state, const Field& field, std::size_t child,
                                  std::optional<std::uint64_t> number = {}) const;
  /// The state after all steps of `path`, spelled as for matches.
  [[nodiscard]] State after_path(State state, std::string_view path) const;
  /// Whether the path so far matches; then all fields below it match too.
  [[nodiscard]] bool is_match(const State& state) const { return (state & ends_).any(); }
  /// The element numbers in the pattern, in ascending order.
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
  [[nodiscard]] State after_number(const State& state, Part::Kind kind,
                                   std::optional<std::uint64_t> number) const;
  void close(State& state) const;

  std::string text_;
  bool path_ = false;
  bool literal_ = true;
  std::vector<Part> parts_;  // of every choice one after another, each with its `end`
  State begin_;
  State ends_;
  std::vector<std::uint64_t> numbers_;
};

/// The paths of all fields of a schema in its order: "pos", "pos.x", "items[].name".
[[nodiscard]] HDB_INSPECT_API std::vector<std::string> field_paths(const Field& root);
/// A hint for an error message: "; did you mean 'pos.x'?" for the field nearest to `path`; empty if
/// none is similar.
[[nodiscard]] HDB_INSPECT_API std::string near_field_hint(const Field& root, std::string_view path);

/// The fields that a path glob matches, in the order of the schema, without the fields inside a
/// match. Element numbers match nothing here, because a path of the schema describes all elements
/// at once.
[[nodiscard]] HDB_INSPECT_API std::vector<FieldPlace> match_fields(const Field& root,
                                                                   const Glob& glob);
/// As above, starting in `state`, for example after the name of the table.
[[nodiscard]] HDB_INSPECT_API std::vector<FieldPlace> match_fields(const Field& root,
                                                                   const Glob& glob,
                                                                   const Glob::State& state);

/// The number of columns that a field has before those of its children: 0, 1, or 2.
[[nodiscard]] HDB_INSPECT_API std::uint32_t leading_columns(const Field& field) noexcept;
/// The number of columns of a field, its children included.
[[nodiscard]] HDB_INSPECT_API std::uint32_t count_columns(const Field& field) noexcept;

}  // namespace hdb
