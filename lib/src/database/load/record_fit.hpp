// From a DynamicValue to a row of the program's schema.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/sees_detail.hpp"
#include "evolve/alternatives.hpp"
#include "evolve/enum_map.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/load_change.hpp"
#include "hdb/migration.hpp"

namespace hdb {

[[nodiscard]] inline std::uint32_t version_of(const Field& structure) noexcept {
  return structure.versioned ? structure.class_version : 0;
}

/// The program's side of a fit; shared by threads.
struct FitSchema {
  struct Node {
    const Field* field = nullptr;
    std::uint32_t id = 0;
    bool is_packed = false;
    std::string path;
    std::vector<std::string> old_names;   // hdb::Renames
    std::vector<std::string> old_tables;  // hdb::Retargets
    std::vector<Enumerator> enumerators;  // of an enumeration
    std::vector<Rename> renames;          // of its enumerators
    std::vector<Node> children;

    /// Whether a handle field may hold handles to the table.
    [[nodiscard]] bool takes_handles_to(const std::string& table) const;
  };

  /// Requires: `own` outlives the schema; `defaults` are the columns of a freshly made record.
  FitSchema(const TableSchema& own, std::vector<Bytes> defaults);
  FitSchema(const FitSchema&) = delete;
  FitSchema& operator=(const FitSchema&) = delete;

  Node root;
  std::vector<std::string> paths;  // by Node::id
  evolve::Plan plan;               // whose nodes have the numbers of Node::id
  Value default_row;

 private:
  Node node_of(const TableSchema& own, const Field& field, const std::string& path,
               const std::string& structure);

  std::vector<Bytes> default_columns_;  // that default_row shows
};

/// Whether stored values have the bytes of the program's field, whatever they are.
[[nodiscard]] bool is_same_form(const FitSchema::Node& own, const Field& stored);

/// How often a fit did not take a value as it was.
struct FitCounts {
  std::map<std::uint32_t, std::uint64_t> defaulted;   // by Node::id
  std::map<std::uint32_t, std::uint64_t> renumbered;  // by Node::id
  std::map<std::uint32_t, std::uint64_t> unknown;     // by Node::id
  std::map<std::string, std::uint64_t> dropped;       // by path
  FitCounts& operator+=(const FitCounts& other);
  [[nodiscard]] std::vector<LoadChange> changes(const FitSchema& schema) const;
};

/// Brings records to the program's schema by the rules of a load: fields are found by name, numbers
/// keep their value, a value becomes an optional or a list, a field that is missing keeps the value
/// of a freshly made record. Used by one thread.
class RecordFit {
 public:
  /// Requires: `schema` outlives the fit.
  explicit RecordFit(const FitSchema& schema, UnknownValue unknown_value = UnknownValue::refuse);
  /// Where the value of the program's field `index` is among the fields of a record; their number
  /// if nowhere.
  [[nodiscard]] std::size_t find(std::size_t index, const DynamicValue& record) {
    return find_child(schema_.root.children[index], record);
  }
  /// Makes `to` the program's field `index`, whose value in the record is at `at`, as `find`
  /// returned it. `to` is valid until the next call, while `record` does not change.
  /// Errors: as a load's, with the path of the field.
  [[nodiscard]] Status fit(std::size_t index, const DynamicValue& record, std::size_t at,
                           Value& to);
  /// Counts the fields of a record that the program does not take. `taken`: how many it takes.
  void finish(const DynamicValue& record, std::size_t taken) {
    if (taken != record.size()) count_dropped(schema_.root, record);
  }
  [[nodiscard]] const FitCounts& counts() const noexcept { return counts_; }
  /// How many values were put that the program does not have.
  [[nodiscard]] std::uint64_t unknown_count() const noexcept { return unknown_count_; }

 private:
  using Node = FitSchema::Node;

  // Each returns false after a fault. `fallback`: the value of a freshly made record, if known.
  bool put(const Node& node, const DynamicValue& given, const Value* fallback, Value& to);
  static const DynamicValue& taken_out(const Field& field, const DynamicValue& from);
  bool put_child(const Node& node, const DynamicValue& structure, std::size_t at,
                 const Value* fallback, Value& to);
  bool put_structure(const Node& node, const DynamicValue& from, const Value* fallback, Value& to);
  bool put_missing(const Node& node, const Value* fallback, Value& to);
  bool put_optional(const Node& node, const DynamicValue& from, Value& to);
  bool put_elements(const Node& node, const DynamicValue& from, const Value* fallback, Value& to);
  bool put_packed(const Node& node, const DynamicValue& from, const Value* fallback, Value& to);
  bool put_array_end(const Node& node, const Value* fallback, std::size_t given, Value& to);
  bool put_map(const Node& node, const DynamicValue& from, Value& to);
  bool put_variant(const Node& node, const DynamicValue& from, const Value* fallback, Value& to);
  bool put_scalar(const Node& node, const DynamicValue& from, std::optional<std::uint64_t> fallback,
                  std::uint64_t& bits);
  bool put_handle(const Node& node, const DynamicValue& from, std::uint64_t& bits);
  bool put_enumerator(const Node& node, const evolve::EnumMap& map,
                      std::optional<std::uint64_t> fallback, std::uint64_t& bits);
  // Counts a value that the program does not have. True if something must take its place.
  bool note_unknown(const Node& node, Error error, bool has_fallback);
  void put_zero(const Node& node, Value& to);
  const evolve::EnumMap* map_of(const Node& node, const DynamicValue& from);
  const evolve::AlternativeMap* alternatives_of(const Node& node, const DynamicValue& from);
  std::size_t find_child(const Node& child, const DynamicValue& structure);
  void count_dropped(const Node& node, const DynamicValue& from);
  bool mismatch(const Node& node, const DynamicValue& from);
  bool fault(ErrorCode code, std::string what);
  bool within(std::string_view part);

  /// What becomes of the enumerators of values that were read with these names, and of the
  /// alternatives of such a variant.
  struct FitMap {
    std::shared_ptr<const std::vector<Enumerator>> names;
    FieldKind integer = FieldKind::u8;
    std::optional<evolve::EnumMap> map;
    std::shared_ptr<const Field> variant;
    std::optional<evolve::AlternativeMap> alternatives;
  };

  const FitSchema& schema_;
  std::vector<FitMap> maps_;          // by Node::id: the last one
  std::vector<std::uint32_t> hints_;  // by Node::id: where its field was in the last record
  std::deque<Bytes> bytes_;           // of converted packed elements
  std::size_t bytes_used_ = 0;
  std::deque<DynamicValue> unpacked_;
  FitCounts counts_;
  const UnknownValue unknown_value_;
  std::uint64_t unknown_count_ = 0;
  bool is_in_key_ = false;
  Error error_;
};

}  // namespace hdb
