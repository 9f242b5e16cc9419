// Imports of records, and their reports, for the C interface.
#include "c/objects.hpp"
#include "hdb/import.hpp"
#include "hdb/io.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb::c {
namespace {

ImportOptions import_options(const hdb_import_options* given) {
  const hdb_import_options known = known_options(given, kImportOptions);
  ImportOptions options;
  require_bytes(known.tables, known.table_count, "tables", kImportOptions);
  for (std::size_t i = 0; i < known.table_count; ++i) {
    require(known.tables[i], "tables[" + std::to_string(i) + "]", kImportOptions);
    options.tables.emplace_back(known.tables[i]);
  }
  options.unresolved_handles = enum_of(known.unresolved_handles, UnresolvedHandles::keep,
                                       "unresolved_handles", kImportOptions);
  options.name_clash =
      enum_of(known.name_clash, NameClash::drop_name, "name_clash", kImportOptions);
  options.allow_unknown_tables = !flag_of(known.refuse_unknown, "refuse_unknown", kImportOptions);
  require_range(known.threads, 0, kMaxThreads, "threads", kImportOptions);
  if (known.threads != 0) options.threads = known.threads;
  if (known.max_memory != 0) options.limits.max_memory_bytes = known.max_memory;
  options.unknown_values =
      enum_of(known.unknown_values, UnknownValue::use_default, "unknown_values", kImportOptions);
  return options;
}

/// `from`: a path or a source.
template <class From>
void import(hdb_database* database, From&& from, const hdb_import_options* given,
            hdb_import** report) {
  const ImportOptions options = import_options(given);
  auto made = std::make_unique<hdb_import>();  // once the import is done, nothing may fail
  made->report = value_of(database->database.import_records(std::forward<From>(from), options));
  if (report != nullptr) *report = made.release();
}

const ImportedTable* table_of(const hdb_import* report, const char* table) noexcept {
  return report == nullptr || table == nullptr ? nullptr : report->report.table(table);
}

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;

extern "C" {

hdb_status hdb_import_file(hdb_database* database, const char* path,
                           const hdb_import_options* options, hdb_import** report,
                           hdb_error** error) {
  return guarded(error, [&] {
    if (report != nullptr) *report = nullptr;
    require(database, "database");
    require(path, "path");
    import(database, std::string(path), options, report);
  });
}

hdb_status hdb_import_bytes(hdb_database* database, const void* bytes, size_t size,
                            const hdb_import_options* options, hdb_import** report,
                            hdb_error** error) {
  return guarded(error, [&] {
    if (report != nullptr) *report = nullptr;
    require(database, "database");
    require(bytes, "bytes");
    const std::span<const std::byte> file(static_cast<const std::byte*>(bytes), size);
    import(database, std::make_unique<hdb::MemorySource>(hdb::MemorySource::borrowing(file)),
           options, report);
  });
}

hdb_status hdb_import_summary(const hdb_import* report, char** text, hdb_error** error) {
  return guarded(error, [&] {
    require(text, "text");
    *text = nullptr;
    require(report, "report");
    *text = text_for_caller(report->report.summary());
  });
}

uint64_t hdb_import_count(const hdb_import* report, const char* table) {
  const hdb::ImportedTable* const found = table_of(report, table);
  return found == nullptr ? 0 : found->records.size();
}

int hdb_import_record(const hdb_import* report, const char* table, uint64_t index,
                      hdb_handle* in_file, hdb_handle* handle) {
  if (in_file != nullptr) *in_file = 0;
  if (handle != nullptr) *handle = 0;
  const hdb::ImportedTable* const found = table_of(report, table);
  if (found == nullptr || index >= found->records.size()) return -1;
  const hdb::ImportedRecord& record = found->records[static_cast<size_t>(index)];
  if (in_file != nullptr) {
    *in_file =
        hdb::pack_handle(found->layout, record.old_slot, record.old_generation, found->old_type_id);
  }
  if (handle != nullptr) *handle = found->new_bits(record);
  return record.is_new ? 1 : 0;
}

hdb_handle hdb_import_find(const hdb_import* report, const char* table, hdb_handle in_file) {
  const hdb::ImportedTable* const found = table_of(report, table);
  if (found == nullptr) return 0;
  const auto parts = hdb::split_handle(found->layout, in_file);
  if (!parts || parts->type_id != found->old_type_id) return 0;
  const hdb::ImportedRecord* const record = found->find(parts->index, parts->generation);
  return record == nullptr ? 0 : found->new_bits(*record);
}

uint64_t hdb_import_unresolved(const hdb_import* report) {
  return report == nullptr ? 0 : report->report.unresolved_count;
}

void hdb_import_free(hdb_import* report) { delete report; }

}  // extern "C"
