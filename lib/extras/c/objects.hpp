// The objects of the C interface, and how every call turns exceptions and errors into a status.
#pragma once

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "c/field_tree.hpp"
#include "database/tables/runtime_tables.hpp"
#include "hdb/c.h"
#include "hdb/changes.hpp"
#include "hdb/database.hpp"
#include "hdb/error.hpp"
#include "hdb/history.hpp"
#include "hdb/import.hpp"
#include "hdb/live_table.hpp"
#include "hdb/save.hpp"
#include "hdb/snapshot.hpp"

struct hdb_table {
  hdb_database* database = nullptr;
  std::string name;
  std::weak_ptr<hdb::detail::TableEntry> entry;
  hdb::detail::TableCore* core = nullptr;  // null: not in the database
  std::shared_ptr<const hdb::detail::record::Discovery> records;
  hdb::c::FieldTree fields;
  std::unique_ptr<hdb::LiveTable> live;  // null: to be made
  bool is_flushing = false;

  /// Looks whether the table is in the database.
  void refresh() noexcept;
};

struct hdb_database {
  hdb::Database database;
  std::vector<std::unique_ptr<hdb_table>> tables;  // dropped ones, too

  /// The table in the database; null if there is none.
  [[nodiscard]] hdb_table* find(std::string_view name) const noexcept;
  /// To be called when tables may have been dropped or restored.
  void refresh() noexcept {
    for (const auto& table : tables) table->refresh();
  }
};

struct hdb_snapshot {
  hdb::Snapshot snapshot;
};

struct hdb_saving {
  hdb::Saving saving;
};

struct hdb_changes {
  hdb::Changes changes;
};

struct hdb_history {
  hdb_database* database;
  hdb::History history;
};

struct hdb_import {
  hdb::ImportReport report;
};

struct hdb_error {
  hdb_status status = HDB_OK;
  std::string message;
  hdb::Error error;  // `what`, `where`, `file`, `offset`
};

namespace hdb::c {

using detail::record::RuntimeRecords;

/// The failure of an argument.
class BadArgument : public std::exception {
 public:
  /// `name` lives for ever.
  explicit BadArgument(const char* name) noexcept : name_(name) {}
  [[nodiscard]] const char* what() const noexcept override { return name_; }

 private:
  const char* name_;
};

/// Throws BadArgument unless the argument is good.
inline void require(bool is_good, const char* name) {
  if (!is_good) throw BadArgument(name);
}
/// Passes an Error on through the call.
struct Failure {
  Error error;
};
inline void check(Status status) {
  if (!status) throw Failure{std::move(status.error())};
}
template <class T>
[[nodiscard]] T value_of(Result<T> result) {
  if (!result) throw Failure{std::move(result.error())};
  return *std::move(result);
}
[[noreturn]] void refuse(ErrorCode code, std::string what, std::string where = {});

/// Makes the error object of the exception that is being handled, and returns its status.
[[nodiscard]] hdb_status status_of_exception(hdb_error** error) noexcept;

/// Runs the body of a call. What it throws becomes a status.
template <class Body>
[[nodiscard]] hdb_status guarded(hdb_error** error, const Body& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    body();
    return HDB_OK;
  } catch (...) {
    return status_of_exception(error);
  }
}

/// A structure of options that the caller gave, in the form that this version of the library knows.
/// Errors: BadArgument if it has no size, or members that are not known and not zero.
template <class Options>
[[nodiscard]] Options known_options(const Options* given) {
  Options known{};
  if (given == nullptr) return known;
  const std::size_t size = given->struct_size;
  require(size >= sizeof(std::size_t) && size % alignof(Options) == 0, "struct_size");
  const auto* const bytes = reinterpret_cast<const char*>(given);
  for (std::size_t i = sizeof(Options); i < size; ++i)
    require(bytes[i] == 0, "struct_size (the library is older than the program)");
  std::memcpy(&known, given, size < sizeof(Options) ? size : sizeof(Options));
  return known;
}
/// Fills a structure for the caller, as much of it as the caller knows.
template <class Out>
void fill_out(Out* out, Out filled) {
  filled.struct_size = out->struct_size;
  std::memcpy(out, &filled, out->struct_size < sizeof(Out) ? out->struct_size : sizeof(Out));
}

/// A copy for the caller, who frees it with hdb_free.
[[nodiscard]] char* text_for_caller(std::string_view text);
/// A flag or an enumeration of the caller.
template <class Enum>
[[nodiscard]] Enum enum_of(std::uint8_t number, Enum last, const char* name) {
  require(number <= static_cast<std::uint8_t>(last), name);
  return static_cast<Enum>(number);
}
[[nodiscard]] inline bool flag_of(int number, const char* name) {
  require(number == 0 || number == 1, name);
  return number == 1;
}

/// The most threads that options may ask for.
inline constexpr std::uint32_t kMaxThreads = 1024;
/// The options of a save, without `file_id`. Errors: BadArgument.
[[nodiscard]] SaveOptions save_options(const hdb_save_options* given);
/// The table by the names of its fields. Made again when tables came or went, because handle fields
/// name tables. Errors: as core_of.
[[nodiscard]] LiveTable& live_of(const hdb_table* table);

/// The core of a table that is in its database. Errors: BadArgument, not_found.
[[nodiscard]] detail::TableCore& core_of(hdb_table* table);
/// The same for reading; null if there is none.
[[nodiscard]] inline const detail::TableCore* find_core(const hdb_table* table) noexcept {
  return table == nullptr ? nullptr : table->core;
}

}  // namespace hdb::c
