/* Resource tables, from a C program. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Texture {
  uint32_t id;
  hdb_handle detail; /* strong: another texture */
} Texture;

static const hdb_field kTexture[] = {
    {.struct_size = sizeof(hdb_field), .name = "id", .kind = HDB_U32},
    {.struct_size = sizeof(hdb_field),
     .name = "detail",
     .kind = HDB_HANDLE,
     .offset = offsetof(Texture, detail),
     .table = "textures",
     .strong = 1}};
static const hdb_field kMaterial[] = {
    {.struct_size = sizeof(hdb_field), .name = "label", .kind = HDB_STRING},
    {.struct_size = sizeof(hdb_field),
     .name = "texture",
     .kind = HDB_HANDLE,
     .table = "textures",
     .strong = 1}};
static const hdb_table_options kTextures = {.struct_size = sizeof kTextures,
                                            .fields = kTexture,
                                            .field_count = 2,
                                            .record_size = sizeof(Texture),
                                            .record_alignment = _Alignof(Texture),
                                            .is_resource = 1};
static const hdb_table_options kMaterials = {
    .struct_size = sizeof kMaterials, .fields = kMaterial, .field_count = 2};

static hdb_handle add(hdb_table* textures, const char* name, hdb_handle detail) {
  static uint32_t next_id = 1;
  const Texture texture = {.id = next_id++, .detail = detail};
  hdb_handle handle = 0;
  OK(hdb_insert_named(textures, name, strlen(name), &texture, sizeof texture, &handle, &error));
  return handle;
}

static uint64_t flush(hdb_table* table, const hdb_flush_options* options) {
  uint64_t destroyed = 99;
  OK(hdb_flush(table, options, &destroyed, &error));
  return destroyed;
}

/* What the callback does and has seen. */
typedef struct Seen {
  hdb_table* textures;
  hdb_handle release, keep;
  uint32_t count, last_id;
} Seen;

static void see(void* context, hdb_handle handle, const void* record, size_t size) {
  Seen* const seen = context;
  CHECK(size == sizeof(Texture) && record == hdb_find(seen->textures, handle, NULL));
  seen->last_id = ((const Texture*)record)->id;
  ++seen->count;
  FAILS(HDB_E_bad_options, hdb_flush(seen->textures, NULL, NULL, &error));
  if (handle == seen->keep) OK(hdb_reference_add(seen->textures, handle, &error));
  if (seen->release != 0) OK(hdb_reference_release(seen->textures, seen->release, &error));
  seen->release = 0;
}

static void test_references(hdb_database* database, hdb_table* textures) {
  hdb_table* materials = NULL;
  OK(hdb_table_create(database, "materials", &kMaterials, &materials, &error));
  const hdb_handle bump = add(textures, "bump", 0);
  const hdb_handle wall = add(textures, "wall", bump);
  CHECK(hdb_find_named(textures, "wall", 4) == wall);
  hdb_handle material = 0;
  OK(hdb_insert(materials, NULL, 0, &material, &error));
  OK(hdb_set_u64(materials, material, "texture", wall, &error));

  /* A row holds wall, which holds bump. */
  CHECK(flush(textures, NULL) == 0);
  OK(hdb_reference_add(textures, wall, &error));
  OK(hdb_reference_add(textures, wall, &error));
  CHECK(hdb_reference_count(textures, wall) == 2 && hdb_reference_count(textures, bump) == 0);
  OK(hdb_erase(materials, material, &error));
  CHECK(flush(textures, NULL) == 0);
  OK(hdb_reference_release(textures, wall, &error));
  CHECK(flush(textures, NULL) == 0 && hdb_count(textures) == 2);

  /* A restore takes the record away and brings it back; the count is of the handle. */
  hdb_snapshot* before = NULL;
  OK(hdb_capture(database, &before, &error));
  OK(hdb_erase(textures, wall, &error));
  CHECK(hdb_reference_count(textures, wall) == 1);
  OK(hdb_restore(database, before, 0, &error));
  hdb_snapshot_free(before);
  CHECK(flush(textures, NULL) == 0 && hdb_find(textures, wall, NULL) != NULL);

  OK(hdb_reference_release(textures, wall, &error));
  FAILS(HDB_E_not_found, hdb_reference_release(textures, wall, &error));
  CHECK(flush(textures, NULL) == 2 && hdb_count(textures) == 0); /* bump after wall */
  FAILS(HDB_E_not_found, hdb_reference_add(textures, wall, &error));
  CHECK(hdb_reference_count(textures, wall) == 0);
}

static void test_flushes(hdb_table* textures) {
  const hdb_handle a = add(textures, "a", 0);
  const hdb_handle b = add(textures, "b", 0);
  const hdb_handle c = add(textures, "c", 0);
  OK(hdb_reference_add(textures, a, &error));
  Seen seen = {.textures = textures, .release = a, .keep = b};
  hdb_flush_options options = {.struct_size = sizeof options, .before = see, .context = &seen};
  CHECK(flush(textures, &options) == 2); /* c, and a, which it released; b is kept */
  CHECK(seen.count == 3 && hdb_reference_count(textures, b) == 1);
  CHECK(hdb_find(textures, b, NULL) != NULL && hdb_find(textures, c, NULL) == NULL);
  OK(hdb_reference_release(textures, b, &error));

  options = (hdb_flush_options){.struct_size = sizeof options, .max_destroyed = 1};
  add(textures, "c", 0);
  CHECK(flush(textures, &options) == 1 && flush(textures, &options) == 1);
  CHECK(flush(textures, &options) == 0);

  /* Two that hold each other. */
  const hdb_handle egg = add(textures, "egg", 0);
  const hdb_handle hen = add(textures, "hen", egg);
  OK(hdb_set_u64(textures, egg, "detail", hen, &error));
  options = (hdb_flush_options){.struct_size = sizeof options, .cycles = 1};
  CHECK(flush(textures, NULL) == 0);
  OK(hdb_reference_add(textures, hen, &error));
  CHECK(flush(textures, &options) == 0);
  OK(hdb_reference_release(textures, hen, &error));
  CHECK(flush(textures, &options) == 2);
  options.cycles = 2;
  FAILS(HDB_BAD_ARGUMENT, hdb_flush(textures, &options, NULL, &error));
}

/* Handles with a type id may name records of any table. */
static void test_typed_handles(hdb_database* database) {
  const hdb_layout layout = {.index_bits = 32, .generation_bits = 24, .type_bits = 8};
  const hdb_field number = {.struct_size = sizeof number, .name = "number", .kind = HDB_U32};
  const hdb_field any = {
      .struct_size = sizeof any, .name = "any", .kind = HDB_HANDLE, .layout = layout, .strong = 1};
  hdb_table_options options = {
      .struct_size = sizeof options, .fields = &number, .field_count = 1, .layout = layout};
  options.is_resource = 1;
  hdb_table *sounds = NULL, *holders = NULL;
  OK(hdb_table_create(database, "sounds", &options, &sounds, &error));
  options.is_resource = 0;
  options.fields = &any;
  OK(hdb_table_create(database, "holders", &options, &holders, &error));
  hdb_handle sound = 0, holder = 0;
  OK(hdb_insert(sounds, NULL, 0, &sound, &error));
  OK(hdb_insert(holders, NULL, 0, &holder, &error));
  FAILS(HDB_E_not_found, hdb_reference_add(sounds, holder, &error));
  FAILS(HDB_E_not_found, hdb_reference_release(sounds, holder, &error));
  OK(hdb_set_u64(holders, holder, "any", sound, &error));
  CHECK(flush(sounds, NULL) == 0);
  OK(hdb_set_u64(holders, holder, "any", holder, &error));
  CHECK(flush(sounds, NULL) == 1);
}

static void test_refusals(hdb_database* database, hdb_table* textures, hdb_table* other) {
  FAILS(HDB_E_bad_options, hdb_reference_add(other, 1, &error));
  FAILS(HDB_E_bad_options, hdb_reference_release(other, 1, &error));
  FAILS(HDB_E_bad_options, hdb_flush(other, NULL, NULL, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_flush(NULL, NULL, NULL, &error));
  CHECK(hdb_reference_count(other, 1) == 0 && hdb_reference_count(NULL, 1) == 0);
  hdb_table_options options = kTextures;
  options.is_singleton = 1;
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "more", &options, NULL, &error));
  options.is_singleton = 0;
  options.owner = textures;
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "more", &options, NULL, &error));
  options = kMaterials;
  options.is_resource = 1;
  options.blob_capacity = 64;
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "more", &options, NULL, &error));
  options.is_resource = 2;
  FAILS(HDB_BAD_ARGUMENT, hdb_table_create(database, "more", &options, NULL, &error));
}

void test_resources(void) {
  hdb_database* database = NULL;
  hdb_table* textures = NULL;
  OK(hdb_database_create(&database, &error));
  OK(hdb_table_create(database, "textures", &kTextures, &textures, &error));
  hdb_table_options described = {.struct_size = sizeof described};
  OK(hdb_table_describe(textures, &described, &error));
  CHECK(described.is_resource == 1 && described.names == HDB_EXACT_NAMES);
  test_references(database, textures);
  test_flushes(textures);
  test_typed_handles(database);
  test_refusals(database, textures, hdb_table_find(database, "materials"));
  hdb_database_free(database);
}
