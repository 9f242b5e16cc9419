// Which tables and columns of SQL hold the values of which fields.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/schema.hpp"
#include "sql/connection.hpp"
#include "sql/sql.hpp"

namespace hdb::inspect::sql {

/// Names as SQLite takes them, each once: case does not count, and `sqlite_` is its own.
class Names {
 public:
  /// The name itself; with `hdb_` before `sqlite_`; with `_2`, `_3` after a name that is taken.
  [[nodiscard]] std::string take(std::string_view wanted);

 private:
  std::set<std::string> taken_;  // in lower case
};

struct SqlColumn {
  std::string key;  ///< The path of its field.
  std::string name;
  std::string type;         ///< Empty: values keep the type that they have.
  std::string target = {};  ///< Of a handle: the table of the save that it names, if that is known.
  bool is_wanted = false;
  unsigned pass = 0;  ///< The last one that has it.
};

struct SqlTable {
  static constexpr char kOfList = '\n';  // no name has it

  /// Whether it is a table of the saves, and not one of elements or `saves`.
  [[nodiscard]] bool has_records() const {
    return !key.empty() && key.find(kOfList) == std::string::npos;
  }

  std::string key;    ///< The table of the save; of elements kOfList and the path after that.
  std::string asked;  ///< The name that it would have.
  std::string name;
  std::string owner;  ///< Its records are those that `handle` names; empty: of this table itself.
  std::vector<SqlColumn> columns = {};
  Names names = {};
  bool is_wanted = false;
  unsigned pass = 0;
  Statement insert = {};
};

/// A field, and where its values go.
struct Node {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  const Field* field = nullptr;
  std::size_t column = kNone;      ///< The first of its columns in the table around it.
  SqlTable* table = nullptr;       ///< Of a list, array or map: the table of its elements.
  std::uint32_t first_stored = 0;  ///< Its columns in the save.
  std::uint32_t stored_count = 0;
  std::string_view alternative = {};  ///< Of a variant: its type, if no other has that.
  std::vector<Node> children = {};
};

/// The tables of all saves together. A table or field that several saves have is one.
class Layout {
 public:
  explicit Layout(const std::vector<Save>& saves);

  /// The nodes of each selection of a save: records, in order.
  [[nodiscard]] const std::vector<std::vector<Node>>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::deque<SqlTable>& tables() noexcept { return tables_; }
  [[nodiscard]] SqlTable& table_of(std::string_view key);
  /// Makes the tables, all of them empty.
  [[nodiscard]] Status create(Connection& connection);

 private:
  SqlTable& add_table(std::string key, const std::string& name, std::string owner);
  std::size_t add_column(SqlTable& table, const std::string& key, std::string type);
  Node add(SqlTable& table, const Field& field, const std::string& path);
  void add_elements(SqlTable& around, const std::string& path, Node& node);
  [[nodiscard]] std::string statement_for(const SqlTable& table);

  const std::vector<TableDescriptor>* stored_ = nullptr;  // of the save at hand
  std::uint32_t next_stored_ = 0;
  unsigned pass_ = 0;
  Names names_;
  std::deque<SqlTable> tables_;
  std::vector<std::vector<Node>> nodes_;
};

/// The columns of a save that hold what is wanted of a record in `table`.
void collect_wanted(const Node& node, const SqlTable& table, std::vector<std::uint32_t>& stored);
/// Whether a table of elements inside of the field is wanted.
[[nodiscard]] bool has_wanted_elements(const Node& node);

}  // namespace hdb::inspect::sql
