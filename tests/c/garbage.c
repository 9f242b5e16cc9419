/* What hdb/c.h does with arguments that make no sense, and with damaged files. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>

/* The ABI: later versions add members at the ends, and move none. */
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(offsetof(hdb_field, value_count) == 104, "hdb_field");
_Static_assert(offsetof(hdb_table_options, owner) == 80, "hdb_table_options");
_Static_assert(offsetof(hdb_table_options, blob_capacity) == 88, "hdb_table_options");
_Static_assert(offsetof(hdb_table_options, is_resource) == 104, "hdb_table_options");
_Static_assert(offsetof(hdb_save_options, backups) == 48, "hdb_save_options");
_Static_assert(offsetof(hdb_save_options, expected) == 56, "hdb_save_options");
_Static_assert(offsetof(hdb_load_options, max_memory) == 16, "hdb_load_options");
_Static_assert(offsetof(hdb_info, title) == 80, "hdb_info");
_Static_assert(offsetof(hdb_difference, reused) == 40, "hdb_difference");
_Static_assert(offsetof(hdb_history_options, max_bytes) == 16, "hdb_history_options");
_Static_assert(offsetof(hdb_import_options, unknown_values) == 40, "hdb_import_options");
#endif
_Static_assert(HDB_E_table_full == 603 && HDB_OPAQUE == 24 && HDB_C_ABI == 1, "numbers");

static const hdb_field kNumber[] = {
    {.struct_size = sizeof(hdb_field), .name = "value", .kind = HDB_U32}};
static const hdb_table_options kNumbers = {
    .struct_size = sizeof kNumbers, .fields = kNumber, .field_count = 1, .record_size = 4};

static void calls_with_null(hdb_database* database, hdb_table* table, hdb_snapshot* snapshot) {
  FAILS(HDB_BAD_ARGUMENT, hdb_database_create(NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(NULL, "a", &kNumbers, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, NULL, &kNumbers, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "a", NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_tables_create_from(NULL, "a", &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_tables_create_from(database, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_table_drop(NULL, "a", &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_table_drop(database, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_schema_json(database, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_table_describe(table, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_insert(NULL, NULL, 0, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_insert(table, NULL, 4, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_insert_named(table, NULL, 4, NULL, 0, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_insert_component(NULL, 0, NULL, 0, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_edit(table, 0, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_replace(NULL, 0, NULL, 0, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_erase(NULL, 0, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_clear(NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_rename(NULL, 0, NULL, 0, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_set_json(table, 0, NULL, "{}", &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_set_json(table, 0, "", NULL, &error));
  FAILS(HDB_E_not_found, hdb_set_json(table, 0, "", "{}", &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_insert_json(NULL, NULL, 0, "{}", NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_insert_json(table, NULL, 4, "{}", NULL, &error));
  FAILS(HDB_E_invalid_value, hdb_insert_json(table, NULL, 0, "{", NULL, &error));
  FAILS(HDB_E_bad_options, hdb_insert_component_json(table, 0, "{}", &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_capture(NULL, &snapshot, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_capture(database, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_restore(database, NULL, 0, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_snapshot_hash(NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_save(NULL, "a", NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_save_bytes(NULL, NULL, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_load(NULL, "a", NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_load(database, NULL, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_load_bytes(database, NULL, 9, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_read_info("a", NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_validate(NULL, 0, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_diff_files(NULL, "a", 0, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_diff_snapshots(NULL, NULL, 0, NULL, NULL, &error));
  hdb_saving* saving = NULL;
  FAILS(HDB_BAD_ARGUMENT, hdb_save_start(NULL, "a", NULL, &saving, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_save_start(snapshot, NULL, NULL, &saving, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_saving_wait(NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_saving_file_id(NULL, NULL, &error));
  CHECK(hdb_saving_is_done(NULL) == 0 && hdb_saving_progress(NULL) == 0);
  FAILS(HDB_BAD_ARGUMENT, hdb_changes_between(NULL, NULL, NULL, &error));
  CHECK(hdb_changes_table_count(NULL) == 0 && hdb_changes_table(NULL, 0) == NULL);
  CHECK(hdb_changes_handles(NULL, "a", HDB_CREATED, NULL) == NULL);
  FAILS(HDB_BAD_ARGUMENT, hdb_history_create(NULL, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_history_record(NULL, 1, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_history_rewind(NULL, 1, 0, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_history_snapshot(NULL, 1, &snapshot, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_history_since(NULL, 1, NULL, &error));
  CHECK(hdb_history_frames(NULL, NULL, NULL) == 0 && hdb_history_bytes(NULL) == 0);
  CHECK(hdb_history_at_or_before(NULL, 1, NULL) == 0);
  FAILS(HDB_BAD_ARGUMENT, hdb_import_file(NULL, "a", NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_import_file(database, NULL, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_import_bytes(database, NULL, 9, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_import_summary(NULL, NULL, &error));
  CHECK(hdb_import_count(NULL, "a") == 0 && hdb_import_find(NULL, "a", 1) == 0);
  CHECK(hdb_import_record(NULL, "a", 0, NULL, NULL) == -1 && hdb_import_unresolved(NULL) == 0);
  FAILS(HDB_BAD_ARGUMENT, hdb_column_kind(table, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_read_column(NULL, "a", HDB_I32, NULL, 0, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_read_handles(NULL, NULL, 0, &error));
  hdb_saving_cancel(NULL);
  hdb_saving_free(NULL);
  hdb_changes_free(NULL);
  hdb_history_clear(NULL);
  hdb_history_free(NULL);
  hdb_import_free(NULL);
  /* The address of the error may be null, too. */
  CHECK(hdb_table_create(NULL, NULL, NULL, NULL, NULL) == HDB_BAD_ARGUMENT);
  CHECK(hdb_load(database, "no/such/file.hdb", NULL, NULL, NULL) == HDB_E_file_not_found);

  CHECK(hdb_table_find(NULL, "a") == NULL && hdb_table_find(database, NULL) == NULL);
  CHECK(hdb_table_at(NULL, 0) == NULL && hdb_table_name(NULL)[0] == '\0');
  CHECK(hdb_find(NULL, 1, NULL) == NULL);
  CHECK(hdb_count(NULL) == 0 && hdb_position_end(NULL) == 0 && hdb_handle_at(NULL, 0) == 0);
  CHECK(hdb_records(NULL, NULL) == NULL && hdb_find_named(NULL, "a", 1) == 0);
  CHECK(hdb_name(NULL, 0, NULL) == NULL && hdb_find_named(table, NULL, 1) == 0);
  CHECK(hdb_error_status(NULL) == HDB_OK && hdb_error_message(NULL)[0] == '\0');
  CHECK(hdb_error_what(NULL)[0] == '\0' && hdb_error_where(NULL)[0] == '\0');
  CHECK(hdb_error_file(NULL)[0] == '\0' && hdb_error_offset(NULL) == UINT64_MAX);
  hdb_error_free(NULL);
  hdb_database_free(NULL);
  hdb_snapshot_free(NULL);
  hdb_free(NULL);
  CHECK(strcmp(hdb_status_name(603), "table_full") == 0 && hdb_status_name(604)[0] != '\0');
  CHECK(hdb_status_name(12345)[0] == '\0' && hdb_status_next_step(12345)[0] == '\0');
  CHECK(hdb_status_next_step(HDB_E_file_not_found)[0] != '\0' && hdb_version()[0] != '\0');
}

/* Creates a table that must be refused. */
static void refused(hdb_database* database, hdb_status wanted, hdb_table_options options) {
  hdb_table* table = (hdb_table*)(void*)&options;
  FAILS(wanted, hdb_table_create(database, "refused", &options, &table, &error));
  CHECK(table == NULL && hdb_table_find(database, "refused") == NULL);
}

/* kNumbers with other fields: one of them. */
static hdb_table_options with(const hdb_field* field) {
  hdb_table_options options = kNumbers;
  options.fields = field;
  return options;
}

static void wrong_tables(hdb_database* database, hdb_table* table) {
  hdb_table_options options = kNumbers;
  FAILS(HDB_E_duplicate_name, hdb_table_create(database, "numbers", &options, NULL, &error));
  FAILS(HDB_E_bad_name, hdb_table_create(database, "", &options, NULL, &error));
  FAILS(HDB_E_bad_name, hdb_table_create(database, "\xff", &options, NULL, &error));
  options.struct_size = 0;
  refused(database, HDB_BAD_ARGUMENT, options);
  options.struct_size = 9;
  refused(database, HDB_BAD_ARGUMENT, options);
  struct {
    hdb_table_options options;
    uint64_t later;
  } newer = {kNumbers, 1};
  newer.options.struct_size = sizeof newer;
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "newer", &newer.options, NULL, &error));
  newer.later = 0; /* a later version's default */
  OK(hdb_table_create(database, "newer", &newer.options, NULL, &error));
  OK(hdb_table_drop(database, "newer", &error));

  options = kNumbers;
  options.fields = NULL;
  refused(database, HDB_BAD_ARGUMENT, options);
  options = kNumbers;
  options.storage = 2;
  refused(database, HDB_BAD_ARGUMENT, options);
  options = kNumbers;
  options.scope = 4;
  refused(database, HDB_BAD_ARGUMENT, options);
  options = kNumbers;
  options.layout.index_bits = 40;
  options.layout.generation_bits = 40;
  refused(database, HDB_E_bad_options, options);
  options = kNumbers;
  options.record_size = 3;
  refused(database, HDB_E_refused_type, options);
  options = kNumbers;
  options.record_size = SIZE_MAX;
  refused(database, HDB_E_refused_type, options);
  options = kNumbers;
  options.record_alignment = 3;
  refused(database, HDB_E_refused_type, options);
  options = kNumbers;
  options.record_alignment = 8; /* the size is not a multiple */
  refused(database, HDB_E_refused_type, options);
  options = kNumbers;
  options.initial_size = 4; /* without bytes */
  refused(database, HDB_BAD_ARGUMENT, options);
  options = kNumbers;
  options.initial = "abc";
  options.initial_size = 3;
  refused(database, HDB_E_invalid_value, options);
  options = kNumbers;
  options.is_singleton = 2;
  refused(database, HDB_BAD_ARGUMENT, options);
  hdb_database* other = NULL;
  OK(hdb_database_create(&other, &error));
  options = kNumbers;
  options.owner = table;
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(other, "refused", &options, NULL, &error));
  hdb_database_free(other);
  options.is_singleton = 1; /* a component of each record, and one record */
  refused(database, HDB_BAD_ARGUMENT, options);
  options.is_singleton = 0;
  options.names = HDB_EXACT_NAMES;
  refused(database, HDB_BAD_ARGUMENT, options);
}

static void wrong_fields(hdb_database* database) {
  hdb_field field = kNumber[0];
  field.struct_size = 8;
  refused(database, HDB_BAD_ARGUMENT, with(&field));
  field = kNumber[0];
  field.kind = 0;
  refused(database, HDB_BAD_ARGUMENT, with(&field));
  field.kind = 25;
  refused(database, HDB_BAD_ARGUMENT, with(&field));
  field = kNumber[0];
  field.name = NULL;
  refused(database, HDB_E_refused_type, with(&field));
  field.name = "@name";
  refused(database, HDB_E_refused_type, with(&field));
  field = kNumber[0];
  field.offset = 1;
  refused(database, HDB_E_refused_type, with(&field));
  field.offset = SIZE_MAX;
  refused(database, HDB_E_refused_type, with(&field));
  field = kNumber[0];
  field.kind = HDB_STRING;
  refused(database, HDB_E_refused_type, with(&field));
  field.kind = HDB_ARRAY; /* no child */
  field.count = 2;
  refused(database, HDB_E_refused_type, with(&field));
  field.children = kNumber; /* an element with a name */
  field.child_count = 1;
  refused(database, HDB_E_refused_type, with(&field));
  hdb_field element = kNumber[0];
  element.name = NULL;
  field.children = &element;
  field.count = 2; /* 8 bytes in a struct of 4 */
  refused(database, HDB_E_refused_type, with(&field));
  field.count = UINT64_MAX;
  refused(database, HDB_E_refused_type, with(&field));
  field.child_count = SIZE_MAX;
  refused(database, HDB_BAD_ARGUMENT, with(&field));
  field.child_count = 1;
  field.count = 1;
  field.children = &field; /* a ring */
  refused(database, HDB_BAD_ARGUMENT, with(&field));
  const hdb_field twice[] = {kNumber[0], kNumber[0]};
  hdb_table_options options = with(twice);
  options.field_count = 2; /* two of one name, at one place */
  refused(database, HDB_E_refused_type, options);
}

static void wrong_records(hdb_table* table) {
  const char bytes[8] = {0};
  hdb_handle handle = 77;
  FAILS(HDB_E_invalid_value, hdb_insert(table, bytes, 3, &handle, &error));
  FAILS(HDB_E_invalid_value, hdb_insert(table, bytes, 5, &handle, &error));
  FAILS(HDB_E_invalid_value, hdb_insert(table, bytes, 0, &handle, &error));
  CHECK(handle == 0);
  OK(hdb_insert(table, bytes, 4, &handle, &error));
  for (unsigned bit = 0; bit < 64; ++bit) { /* every other handle names nothing */
    CHECK(hdb_find(table, handle ^ (uint64_t)1 << bit, NULL) == NULL);
    FAILS(HDB_E_not_found, hdb_erase(table, handle ^ (uint64_t)1 << bit, &error));
  }
  CHECK(hdb_find(table, 0, NULL) == NULL && hdb_find(table, UINT64_MAX, NULL) == NULL);
  CHECK(hdb_handle_at(table, UINT64_MAX) == 0);
  CHECK(hdb_count(table) == 1);
  OK(hdb_erase(table, handle, &error));
}

static void wrong_booleans(hdb_database* database, const char* folder) {
  static const hdb_field kFlag[] = {
      {.struct_size = sizeof(hdb_field), .name = "is_open", .kind = HDB_BOOLEAN}};
  const hdb_table_options options = {
      .struct_size = sizeof options, .fields = kFlag, .field_count = 1, .record_size = 1};
  hdb_table* doors = NULL;
  hdb_handle door = 0;
  OK(hdb_table_create(database, "doors", &options, &doors, &error));
  FAILS(HDB_E_invalid_value, hdb_insert(doors, "\2", 1, &door, &error));
  OK(hdb_insert(doors, "\1", 1, &door, &error));
  void* record = NULL;
  OK(hdb_edit(doors, door, &record, &error));
  *(unsigned char*)record = 2; /* against the rule */
  hdb_snapshot* snapshot = NULL;
  OK(hdb_capture(database, &snapshot, &error));
  char path[1024];
  snprintf(path, sizeof path, "%s/doors.hdb", folder);
  FAILS(HDB_E_invalid_value, hdb_save(snapshot, path, NULL, &error));
  hdb_snapshot_free(snapshot);
  OK(hdb_table_drop(database, "doors", &error));
}

void test_garbage(const char* folder, const char* fixture) {
  hdb_database* database = NULL;
  hdb_table* table = NULL;
  hdb_snapshot* snapshot = NULL;
  OK(hdb_database_create(&database, &error));
  OK(hdb_table_create(database, "numbers", &kNumbers, &table, &error));
  OK(hdb_capture(database, &snapshot, &error));
  const hdb_hash before = state_hash(database);
  calls_with_null(database, table, NULL);
  wrong_tables(database, table);
  wrong_fields(database);
  CHECK(equal(state_hash(database), before));
  wrong_records(table);
  wrong_booleans(database, folder);

  hdb_save_options saving = {.struct_size = sizeof saving, .level = 20};
  FAILS(HDB_BAD_ARGUMENT, hdb_save(snapshot, "unused", &saving, &error));
  saving.level = 0;
  saving.threads = 99999;
  FAILS(HDB_BAD_ARGUMENT, hdb_save(snapshot, "unused", &saving, &error));
  saving.threads = 0;
  saving.backups = UINT32_MAX;
  FAILS(HDB_BAD_ARGUMENT, hdb_save(snapshot, "unused", &saving, &error));
  saving.backups = 0;
  hdb_load_options loading = {.struct_size = sizeof loading, .fork = 2};
  FAILS(HDB_BAD_ARGUMENT, hdb_load(database, fixture, &loading, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_restore(database, snapshot, 2, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_validate(fixture, 9, NULL, &error));
  hdb_difference difference = {.struct_size = 0};
  FAILS(HDB_BAD_ARGUMENT, hdb_diff_files(fixture, fixture, 1, &difference, NULL, &error));
  difference.struct_size = sizeof difference;
  difference.added = 5;
  FAILS(HDB_E_file_not_found, hdb_diff_files(fixture, "none", 1, &difference, NULL, &error));
  CHECK(difference.added == 0 && difference.struct_size == sizeof difference);
  hdb_info info = {.struct_size = 0};
  FAILS(HDB_BAD_ARGUMENT, hdb_read_info(fixture, &info, &error));
  hdb_snapshot_free(snapshot);
  hdb_database_free(database);
}

/* --- hostile files */

void test_hostile_files(const char* fixture) {
  static unsigned char file[1 << 16];
  FILE* const in = fopen(fixture, "rb");
  CHECK(in != NULL);
  const size_t size = fread(file, 1, sizeof file, in);
  CHECK(size > 100 && size < sizeof file);
  fclose(in);
  hdb_database* database = NULL;
  OK(hdb_database_create(&database, &error));
  OK(hdb_tables_create_from(database, fixture, &error));
  OK(hdb_load_bytes(database, file, size, NULL, NULL, &error));
  const hdb_hash whole = state_hash(database);
  unsigned refusals = 0;
  unsigned tries = 0;
  for (size_t i = 0; i < size; i += 5) {
    ++tries;
    const unsigned char byte = file[i];
    file[i] ^= (unsigned char)(1u << i % 8);
    const hdb_status status = hdb_load_bytes(database, file, size, NULL, NULL, &error);
    file[i] = byte;
    CHECK((status == HDB_OK) == (error == NULL));
    refusals += status != HDB_OK;
    if (error != NULL) CHECK(hdb_error_message(error)[0] != '\0');
    hdb_error_free(error);
    error = NULL;
    if (i % 16 == 0) CHECK(equal(state_hash(database), whole));
    CHECK(hdb_load_bytes(database, file, i, NULL, NULL, NULL) != HDB_OK); /* cut off */
  }
  CHECK(refusals > tries / 2);
  CHECK(equal(state_hash(database), whole));
  hdb_database_free(database);
}
