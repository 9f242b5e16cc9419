// What a filter expression becomes when it is bound to a schema.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/paths.hpp"
#include "inspect/query/scalar.hpp"
#include "inspect/validate/live_slots.hpp"

namespace hdb::query {

struct Followed;

/// One step from a value to those in it.
struct BoundStep {
  enum class Kind : std::uint8_t { child, element, any_element, key, alternative, held, target };
  Kind kind = Kind::child;
  const Field* child = nullptr;  ///< The field that the step leads to.
  std::uint64_t number = 0;      ///< Of an element or alternative.
  std::size_t pair_part = 0;     ///< Of a map: 0 the key, 1 the value.
  Scalar key = {};               ///< Of the pair whose value is meant.
  std::string text = {};         ///< Keeps the key's text.
  /// The last step: what follows in the record that a handle names, by the table it may be in.
  std::vector<std::shared_ptr<const Followed>> targets = {};
};

/// The values at the end of a path in each record of a table, for paths through handles.
struct Followed {
  std::size_t table = 0;
  std::vector<BoundStep> steps = {};
  const Field* field = nullptr;  ///< Of the values.
  std::vector<std::uint32_t> columns = {};
  std::vector<std::uint32_t> ends = {};  ///< For each slot where its values end.
  std::vector<std::uint64_t> bits = {};  ///< Of each value.
  std::vector<std::uint64_t> text_ends = {};
  Bytes texts = {};  ///< Of strings.
};

/// Where a handle leads.
struct Target {
  enum class State : std::uint8_t { null, foreign, stale, live };
  State state = State::null;
  std::size_t table = 0;
  std::uint32_t slot = 0;
};

/// The tables of a file that a filter reads through handles.
class OtherTables {
 public:
  OtherTables(const Reader& file, std::uint64_t max_bytes)
      : reader(file), namer_(file.tables()), live_(file), left_(max_bytes) {}

  /// Where a handle leads. Requires: `load` succeeded.
  [[nodiscard]] Target find(const Field& field, std::uint64_t bits) const noexcept;
  /// Reads what was followed, and the slots of each table that `field`, a tested handle, may name.
  [[nodiscard]] Status load();

  const Reader& reader;
  /// By table and path; `order`: what leads on to other tables after these.
  std::map<std::pair<std::size_t, std::string>, std::shared_ptr<Followed>> followed;
  std::vector<Followed*> order;
  std::vector<const Field*> tested;

 private:
  [[nodiscard]] Status charge(std::uint64_t bytes);
  [[nodiscard]] Status load(Followed& values);

  HandleNamer namer_;
  LiveSlots live_;
  std::uint64_t left_;  // bytes
};

struct BoundOperand {
  FilterOperand::Kind kind = FilterOperand::Kind::number;
  std::vector<BoundStep> steps = {};  ///< field, size.
  const Field* field = nullptr;       ///< The last one.
  Group group = Group::none;
  Scalar literal = {};
  std::string text = {};  ///< Keeps the literal's text.
};

struct BoundNode {
  FilterNode::Kind kind = FilterNode::Kind::truth;
  FilterComparison comparison = FilterComparison::equal;
  std::vector<BoundNode> children = {};
  std::vector<BoundOperand> operands = {};
  std::optional<Glob> glob = {};
};

/// The step to the value of the key of a map that a text means: a text, a number, true, false, a
/// character or the name of an enumerator.
/// Errors: type_mismatch or not_found if no key can be that.
[[nodiscard]] Result<BoundStep> key_step(const Field& map, const std::string& text);
/// The next pair with that key, from pair `first` on; none if there is none.
[[nodiscard]] std::optional<std::size_t> find_pair(const Value& map, const BoundStep& step,
                                                   std::size_t first = 0);
/// The text with the ASCII letters small.
[[nodiscard]] std::string small_letters(std::string_view text);
/// "an i32", as it is spoken.
[[nodiscard]] std::string with_article(const std::string& type);
/// "'hp' is an i32"
[[nodiscard]] std::string what_it_is(const FilterOperand& operand, const Field& field);
/// The comparison that is true when the sides are exchanged.
[[nodiscard]] FilterComparison mirrored(FilterComparison comparison) noexcept;
/// Why `operand comparison literal` is true for no value of the operand; empty if it can be true,
/// or if the operand is not a number.
[[nodiscard]] std::string why_never_true(const BoundOperand& operand, FilterComparison comparison,
                                         const Scalar& literal);

/// Binds expressions; keeps the first error.
class Binder {
 public:
  /// `others`: null if records of other tables are not known.
  Binder(const Field& root, const std::vector<TableDescriptor>& tables, OtherTables* others)
      : root_(&root), tables_(tables), others_(others) {}

  [[nodiscard]] Result<BoundNode> run(const FilterNode& node);
  [[nodiscard]] Result<BoundOperand> run(const FilterOperand& operand);
  /// What the operands read, rising.
  [[nodiscard]] std::vector<std::uint32_t> take_columns();

 private:
  BoundNode bind(const FilterNode& node);
  /// The node with the bare names beside an enumeration as texts.
  FilterNode with_enumerators(const FilterNode& node);
  BoundOperand bind(const FilterOperand& operand);
  void bind_path(const FilterOperand& operand, BoundOperand& bound);
  void bind_steps(const FilterOperand& operand, std::size_t step, BoundOperand& bound);
  void follow(const FilterOperand& operand, std::size_t step, BoundOperand& bound);
  bool can_follow(const FilterOperand& operand, const Field& field);
  void enter_optionals(BoundOperand& bound, std::uint32_t& column);
  void bind_key(const FilterOperand& operand, std::size_t step, const Field& field,
                BoundStep& access);
  bool enter(const FilterOperand& operand, std::size_t& step, BoundOperand& bound,
             std::uint32_t& column);
  void check_null_test(const FilterNode& node, const BoundNode& bound);
  /// Makes literal and field one kind of scalar, or fails.
  void fit(const FilterNode& node, std::size_t at, BoundOperand& literal,
           const BoundOperand& field);
  void fit_handle(const FilterOperand& operand, BoundOperand& literal, const Field& field);
  void fit_enumerator(const FilterOperand& operand, BoundOperand& literal, const Field& field);
  void check_order(const FilterNode& node, const BoundNode& bound);
  void check_stale_test(const FilterNode& node, const BoundNode& bound);
  void check_nan_test(const FilterNode& node, const BoundNode& bound);
  /// Refuses what is true for no value.
  void check_values(const FilterNode& node, const BoundNode& bound);
  void stop(ErrorCode code, std::size_t column, std::string what);

  const Field* root_;  // of the record in which a path begins or goes on
  const std::vector<TableDescriptor>& tables_;
  OtherTables* others_;
  unsigned handles_ = 0;        // that the path went through
  std::size_t path_begin_ = 0;  // the step that is one in `root_`
  std::vector<std::uint32_t> columns_;
  bool failed_ = false;
  Error error_;
};

}  // namespace hdb::query

namespace hdb {

struct RecordFilter::Program {
  query::BoundNode root;
  std::unique_ptr<query::OtherTables> others;
};

}  // namespace hdb
