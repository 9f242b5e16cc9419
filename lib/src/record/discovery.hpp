// What is found out about a record type once, when its codec is made.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "evolve/match.hpp"
#include "hdb/detail/record/serialize_functions.hpp"
#include "hdb/inspect/compat.hpp"
#include "record/plain.hpp"

namespace hdb::detail::record {

class RuntimeRecords;

/// A stored schema, matched with the one of the program.
struct Matched {
  Field stored;
  Field own;
  Plan plan;  ///< Of `stored`.
  evolve::Match match;
  bool is_exact;  ///< The two are equal.
};

/// The last match of a type. Most programs load files of one schema again and again, and matching
/// costs more than reading a small table. Any thread.
class LastMatch {
 public:
  /// The last match, if it is of this stored schema and `is_own(schema)` of the other; else null.
  template <class IsOwn>
  [[nodiscard]] std::shared_ptr<const Matched> find(const Field& stored,
                                                    const IsOwn& is_own) const {
    const std::lock_guard lock(mutex_);
    const bool is_same = matched_ && matched_->stored == stored && is_own(matched_->own);
    return is_same ? matched_ : nullptr;
  }
  void set(std::shared_ptr<const Matched> matched) {
    const std::lock_guard lock(mutex_);
    matched_.swap(matched);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Matched> matched_;  // guarded by mutex_
};

/// The result of visiting default objects of a type.
struct Discovery {
  std::optional<Error> refusal;  ///< Why the type cannot be a record.
  Described described;
  Plan plan;                          ///< Of the schema, with the program's side.
  std::vector<std::string> warnings;  ///< As DescribeArchive::warnings.
  bool is_plain = false;
  /// Of plain records, and of the fields that are marked below.
  PlainLayout layout;
  /// All fields of a record of which some are placed; else empty.
  std::vector<PlacedField> fields = {};
  /// Of such a record: for each column, whether visits fill it. The others are copied.
  std::vector<bool> visited_columns = {};
  /// Whether a column of any record is copied, and not filled by visits.
  [[nodiscard]] bool is_copied(std::size_t column) const noexcept {
    return (is_plain || !fields.empty()) && !layout.columns[column].runs.empty();
  }
  /// Records of a type that exists only at run time; null: those of a C++ type.
  std::shared_ptr<const RuntimeRecords> runtime = {};
  std::shared_ptr<LastMatch> last_match = std::make_shared<LastMatch>();
};

/// Visits the type. A trivially copyable type of fixed fields is plain if it consists of aggregates
/// without functions. Else it is plain when its fields lie at the same places in the default object
/// and in objects filled with small numbers and byte patterns, and when loading through its
/// serialize changes the same bytes as copying does. Of other records without functions, the fields
/// that would be plain alone are placed.
[[nodiscard]] Discovery discover(const SerializeFunctions& ops);

/// Fills in the table names of handle fields.
void bind_tables(Field& field, const Described& described, const TableNamer& namer);
/// Whether handle fields have the table names that bind_tables would fill in.
[[nodiscard]] bool are_tables_bound(const Field& field, const Described& described,
                                    const TableNamer& namer);

}  // namespace hdb::detail::record
