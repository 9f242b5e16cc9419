// Filler: puts the records of saves into tables of SQL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/inspect/values.hpp"
#include "sql/layout.hpp"

namespace hdb::inspect::sql {

/// Fills the tables that are wanted.
class Filler {
 public:
  Filler(Connection& connection, Layout& layout, const std::vector<Save>& saves)
      : connection_(connection), layout_(layout), saves_(saves) {}

  /// Errors: damage that is met, with the file; those of Connection.
  [[nodiscard]] Status fill();
  [[nodiscard]] std::uint64_t records() const noexcept { return records_; }

 private:
  [[nodiscard]] Status fill_saves();
  [[nodiscard]] Status fill_table(const dumping::Selection& selection, const Node& root);
  void begin(SqlTable& table);
  void bind(std::size_t column, std::int64_t number);
  void bind(std::size_t column, std::string_view text);
  void bind_unsigned(std::size_t column, std::uint64_t number);
  void end();
  void put(const Node& node, const Value& value);
  void put_scalar(const Node& node, const Value& value);
  void put_handle(const Node& node, const Value& value);
  void put_elements(const Node& node, const Value& value);
  void check(int result) { result_ = result_ == SQLITE_OK ? result : result_; }

  Connection& connection_;
  Layout& layout_;
  const std::vector<Save>& saves_;
  std::size_t save_ = 0;                 // the one at hand
  std::string handle_;                   // of the record at hand
  std::vector<std::int64_t> positions_;  // of the element at hand, the outermost first
  sqlite3_stmt* insert_ = nullptr;       // null: the table at hand is not wanted
  int result_ = SQLITE_OK;               // the first that was not this
  std::uint64_t records_ = 0;
};

}  // namespace hdb::inspect::sql
