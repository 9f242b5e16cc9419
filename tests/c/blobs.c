/* Blob tables, from a C program. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>

/* A blob that is the text, without its zero byte. */
static hdb_handle add_text(hdb_table* table, const char* name, const char* text) {
  hdb_handle handle = 0;
  OK(hdb_blob_insert(table, name, strlen(name), NULL, 0, text, strlen(text), &handle, &error));
  return handle;
}

static int holds(const hdb_table* table, hdb_handle handle, const char* text) {
  uint64_t size = 9;
  const void* const bytes = hdb_blob_find(table, handle, &size);
  return bytes != NULL && size == strlen(text) && memcmp(bytes, text, (size_t)size) == 0;
}

static hdb_database* make_meshes(hdb_table_options* options, hdb_table** meshes) {
  static const hdb_field kMeta[] = {
      {.struct_size = sizeof(hdb_field), .name = "count", .kind = HDB_U32}};
  *options = (hdb_table_options){.struct_size = sizeof *options,
                                 .fields = kMeta,
                                 .field_count = 1,
                                 .names = HDB_EXACT_NAMES,
                                 .blob_capacity = 1024};
  hdb_database* database = NULL;
  OK(hdb_database_create(&database, &error));
  OK(hdb_table_create(database, "meshes", options, meshes, &error));
  return database;
}

static void test_refusals(hdb_database* database, hdb_table* meshes, hdb_handle cube,
                          hdb_table_options options) {
  const hdb_hash before = state_hash(database);
  hdb_handle handle = 1;
  char big[2000] = {0};
  FAILS(HDB_E_blob_too_large,
        hdb_blob_insert(meshes, NULL, 0, NULL, 0, big, sizeof big, &handle, &error));
  FAILS(HDB_E_blob_too_large,
        hdb_blob_insert(meshes, NULL, 0, NULL, 0, NULL, UINT64_MAX, &handle, &error));
  FAILS(HDB_E_blob_full, hdb_blob_insert(meshes, NULL, 0, NULL, 0, big, 1020, &handle, &error));
  FAILS(HDB_E_duplicate_name, hdb_blob_insert(meshes, "cube", 4, NULL, 0, big, 1, &handle, &error));
  FAILS(HDB_E_invalid_value, hdb_blob_insert(meshes, NULL, 0, big, 3, big, 1, &handle, &error));
  FAILS(HDB_E_bad_options, hdb_insert(meshes, NULL, 0, &handle, &error));
  FAILS(HDB_E_bad_options, hdb_insert_json(meshes, NULL, 0, "{}", &handle, &error));
  CHECK(handle == 0);
  FAILS(HDB_E_blob_too_large, hdb_blob_resize(meshes, cube, 1025, &error));
  FAILS(HDB_E_not_found, hdb_blob_resize(meshes, 12345, 1, &error));
  void* bytes = &handle;
  FAILS(HDB_E_not_found, hdb_blob_edit(meshes, 12345, &bytes, NULL, &error));
  CHECK(bytes == NULL && hdb_blob_find(meshes, 12345, NULL) == NULL);
  FAILS(HDB_BAD_ARGUMENT, hdb_blob_edit(meshes, cube, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_blob_insert(NULL, NULL, 0, NULL, 0, NULL, 1, NULL, &error));
  CHECK(equal(state_hash(database), before));

  hdb_table* other = NULL;
  options.record_size = 4;
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "other", &options, &other, &error));
  options.record_size = 0;
  options.is_singleton = 1;
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "other", &options, &other, &error));
  options.is_singleton = 0;
  options.blob_compaction = 2;
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "other", &options, &other, &error));
  options.blob_compaction = 0;
  options.blob_alignment = 3;
  FAILS(HDB_E_bad_options, hdb_table_create(database, "other", &options, &other, &error));
  options.blob_capacity = 0; /* an ordinary table has no alignment */
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "other", &options, &other, &error));
  options.blob_alignment = 0;
  OK(hdb_table_create(database, "other", &options, &other, &error));
  FAILS(HDB_E_bad_options, hdb_blob_insert(other, NULL, 0, NULL, 0, NULL, 1, &handle, &error));
  FAILS(HDB_E_bad_options, hdb_blob_compact(other, &error));
  CHECK(hdb_blob_find(other, 1, NULL) == NULL && hdb_blob_allocated(other) == 0);
  CHECK(hdb_blob_find(NULL, 1, NULL) == NULL && hdb_blob_allocated(NULL) == 0);
  OK(hdb_table_drop(database, "other", &error));
}

void test_blobs(const char* folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/blobs.hdb", folder);
  hdb_table_options options;
  hdb_table* meshes = NULL;
  hdb_database* database = make_meshes(&options, &meshes);
  const hdb_handle cube = add_text(meshes, "cube", "a cube of some vertices");
  const hdb_handle ball = add_text(meshes, "ball", "ball");
  const hdb_handle none = add_text(meshes, "none", "");
  CHECK(hdb_count(meshes) == 3 && hdb_find_named(meshes, "ball", 4) == ball);
  CHECK(holds(meshes, cube, "a cube of some vertices") && holds(meshes, none, ""));
  CHECK(hdb_blob_allocated(meshes) == 64);           /* 32, 16 and 16 */
  OK(hdb_set_i64(meshes, ball, "count", 7, &error)); /* the metadata */
  CHECK(holds(meshes, ball, "ball") && holds(meshes, cube, "a cube of some vertices"));
  test_refusals(database, meshes, cube, options);

  hdb_snapshot* before = NULL;
  OK(hdb_capture(database, &before, &error));
  void* bytes = NULL;
  uint64_t size = 0;
  OK(hdb_blob_edit(meshes, ball, &bytes, &size, &error));
  CHECK(size == 4);
  memcpy(bytes, "wall", 4);
  OK(hdb_blob_resize(meshes, cube, 6, &error));
  OK(hdb_erase(meshes, none, &error));
  CHECK(holds(meshes, cube, "a cube") && holds(meshes, ball, "wall"));
  CHECK(hdb_blob_find(meshes, none, NULL) == NULL && hdb_count(meshes) == 2);
  CHECK(hdb_blob_allocated(meshes) == 32);
  const hdb_hash changed = state_hash(database);
  OK(hdb_blob_compact(meshes, &error));
  CHECK(equal(state_hash(database), changed));
  OK(hdb_restore(database, before, 0, &error));
  CHECK(holds(meshes, cube, "a cube of some vertices") && holds(meshes, ball, "ball"));

  /* Files: with the table, and kept without it. */
  OK(hdb_save(before, path, NULL, &error));
  OK(hdb_validate(path, HDB_VALIDATE_DEEP, NULL, &error));
  hdb_table* loaded = NULL;
  hdb_database* other = make_meshes(&options, &loaded);
  OK(hdb_load(other, path, NULL, NULL, &error));
  int64_t count = 0;
  OK(hdb_get_i64(loaded, ball, "count", &count, &error));
  CHECK(count == 7 && holds(loaded, cube, "a cube of some vertices"));
  CHECK(equal(state_hash(other), state_hash(database)));
  hdb_table_options described = {.struct_size = sizeof described};
  OK(hdb_table_describe(loaded, &described, &error));
  CHECK(described.blob_capacity == 1024 && described.blob_alignment == 16);
  CHECK(described.record_size == 0 && described.blob_compaction == HDB_AT_RELEASE);
  OK(hdb_clear(loaded, &error));
  CHECK(hdb_count(loaded) == 0 && hdb_blob_allocated(loaded) == 0);
  CHECK(hdb_blob_find(loaded, cube, NULL) == NULL);
  add_text(loaded, "cube", "again");
  hdb_database_free(other);
  hdb_snapshot_free(before);
  hdb_database_free(database);
}
