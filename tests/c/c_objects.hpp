// Short names for calls of hdb/c.h in tests; each ends the test program if the call fails.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/c.h"
#include "hdb/hash.hpp"

namespace hdb::test {

/// Ends the program after an error.
inline void need(hdb_status status, hdb_error* const& error) {
  if (status == HDB_OK) return;
  std::fprintf(stderr, "%s: %s\n", hdb_status_name(status), hdb_error_message(error));
  std::abort();
}

struct FreeC {
  void operator()(hdb_database* database) const noexcept { hdb_database_free(database); }
  void operator()(hdb_snapshot* snapshot) const noexcept { hdb_snapshot_free(snapshot); }
};
using CDatabase = std::unique_ptr<hdb_database, FreeC>;
using CSnapshot = std::unique_ptr<hdb_snapshot, FreeC>;

/// A field; `offset` counts in structs alone.
inline hdb_field c_field(const char* name, hdb_kind kind, std::size_t offset = 0) {
  hdb_field field{};
  field.struct_size = sizeof field;
  field.name = name;
  field.kind = kind;
  field.offset = offset;
  return field;
}

inline CDatabase c_database() {
  hdb_database* database = nullptr;
  hdb_error* error = nullptr;
  need(hdb_database_create(&database, &error), error);
  return CDatabase(database);
}
inline CSnapshot c_capture(const CDatabase& database) {
  hdb_snapshot* snapshot = nullptr;
  hdb_error* error = nullptr;
  need(hdb_capture(database.get(), &snapshot, &error), error);
  return CSnapshot(snapshot);
}
inline Hash128 c_state_hash(const CDatabase& database) {
  hdb_hash hash{};
  hdb_error* error = nullptr;
  need(hdb_snapshot_hash(c_capture(database).get(), &hash, &error), error);
  return {hash.low, hash.high};
}
inline Bytes c_saved(const CDatabase& database) {
  void* bytes = nullptr;
  std::size_t size = 0;
  hdb_error* error = nullptr;
  need(hdb_save_bytes(c_capture(database).get(), nullptr, &bytes, &size, &error), error);
  const auto* const from = static_cast<const std::byte*>(bytes);
  Bytes file(from, from + size);
  hdb_free(bytes);
  return file;
}
inline void c_load(const CDatabase& database, const Bytes& file) {
  hdb_error* error = nullptr;
  need(hdb_load_bytes(database.get(), file.data(), file.size(), nullptr, nullptr, &error), error);
}
inline hdb_table* c_create(const CDatabase& database, const char* name,
                           const hdb_table_options& options) {
  hdb_table* table = nullptr;
  hdb_error* error = nullptr;
  need(hdb_table_create(database.get(), name, &options, &table, &error), error);
  return table;
}
inline Bytes c_record(const hdb_table* table, hdb_handle handle) {
  std::size_t size = 0;
  const auto* const record = static_cast<const std::byte*>(hdb_find(table, handle, &size));
  return record == nullptr ? Bytes() : Bytes(record, record + size);
}

}  // namespace hdb::test
