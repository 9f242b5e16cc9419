// The objects of the C interface, and how every call turns exceptions and errors into a status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// The failure of an argument. `error.where`: the structure that it is a member of.
struct BadArgument {
  Error error;
};
[[noreturn]] void refuse_argument(std::string what, std::string_view where = {});
/// Throws BadArgument for a null pointer.
inline void require(const void* argument, std::string_view name, std::string_view where = {}) {
  if (argument == nullptr) refuse_argument("'" + std::string(name) + "' is null", where);
}
/// Throws BadArgument for a null pointer to `size` bytes or elements, unless there are none.
inline void require_bytes(const void* argument, std::uint64_t size, std::string_view name,
                          std::string_view where = {}) {
  if (argument != nullptr || size == 0) return;
  refuse_argument("'" + std::string(name) + "' is null, but its size is " + std::to_string(size),
                  where);
}
/// Throws BadArgument unless the number is in the range.
void require_range(std::int64_t number, std::int64_t least, std::int64_t most,
                   std::string_view name, std::string_view where = {});
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

/// Names of structures for errors.
inline constexpr const char* kTableOptions = "hdb_table_options";
inline constexpr const char* kSaveOptions = "hdb_save_options";
inline constexpr const char* kLoadOptions = "hdb_load_options";
inline constexpr const char* kImportOptions = "hdb_import_options";
inline constexpr const char* kHistoryOptions = "hdb_history_options";
inline constexpr const char* kFlushOptions = "hdb_flush_options";

/// Throws BadArgument for a size that is not that of a structure.
void require_size(std::size_t size, std::size_t alignment, std::size_t known_size,
                  std::string_view where);
/// Throws BadArgument for a structure with members after those that the library knows.
[[noreturn]] void refuse_newer(std::size_t size, std::size_t known_size, std::string_view where);
/// A structure of options that the caller gave, in the form that this version of the library knows.
/// Errors: BadArgument if it has no size, or members that are not known and not zero.
template <class Options>
[[nodiscard]] Options known_options(const Options* given, std::string_view where) {
  Options known{};
  if (given == nullptr) return known;
  const std::size_t size = given->struct_size;
  require_size(size, alignof(Options), sizeof(Options), where);
  const auto* const bytes = reinterpret_cast<const char*>(given);
  for (std::size_t i = sizeof(Options); i < size; ++i) {
    if (bytes[i] != 0) refuse_newer(size, sizeof(Options), where);
  }
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
[[nodiscard]] Enum enum_of(std::uint32_t number, Enum last, std::string_view name,
                           std::string_view where) {
  require_range(number, 0, static_cast<std::uint8_t>(last), name, where);
  return static_cast<Enum>(number);
}
[[nodiscard]] inline bool flag_of(std::int64_t number, std::string_view name,
                                  std::string_view where = {}) {
  require_range(number, 0, 1, name, where);
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
