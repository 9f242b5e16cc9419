/* C11: a tool that opens any save by hdb/c.h, without a type of the game. It lists the tables,
   changes a field by its name, saves, and shows the difference. */
#include <hdb/c.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { kPath = 1024 };

static int failed(hdb_error* error) {
  fprintf(stderr, "any_save: %s\n", hdb_error_message(error));
  hdb_error_free(error);
  return 1;
}

/* Some save, of a game whose records are texts and numbers: the bytes of the values in order. */
static hdb_status make_save(const char* path, hdb_error** error) {
  static const hdb_field fields[] = {
      {.struct_size = sizeof(hdb_field), .name = "name", .kind = HDB_STRING, .utf8 = 1},
      {.struct_size = sizeof(hdb_field), .name = "hp", .kind = HDB_U16}};
  const hdb_table_options options = {
      .struct_size = sizeof options, .fields = fields, .field_count = 2};
  static const unsigned char imp[] = {3, 'i', 'm', 'p', 40, 0};
  static const unsigned char ogre[] = {4, 'o', 'g', 'r', 'e', 0x2c, 1};
  hdb_database* game = NULL;
  hdb_table* monsters = NULL;
  hdb_snapshot* now = NULL;
  hdb_status status = hdb_database_create(&game, error);
  if (status == HDB_OK) status = hdb_table_create(game, "monsters", &options, &monsters, error);
  if (status == HDB_OK) status = hdb_insert(monsters, imp, sizeof imp, NULL, error);
  if (status == HDB_OK) status = hdb_insert(monsters, ogre, sizeof ogre, NULL, error);
  if (status == HDB_OK) status = hdb_capture(game, &now, error);
  if (status == HDB_OK) status = hdb_save(now, path, NULL, error);
  hdb_snapshot_free(now);
  hdb_database_free(game);
  return status;
}

/* Each record of each table as JSON. A position may be empty: its handle is 0. */
static hdb_status print(hdb_database* database, hdb_error** error) {
  hdb_table* table = NULL;
  for (size_t i = 0; (table = hdb_table_at(database, i)) != NULL; ++i) {
    printf("%s: %" PRIu64 " records\n", hdb_table_name(table), hdb_count(table));
    for (uint64_t position = 0; position < hdb_position_end(table); ++position) {
      const hdb_handle handle = hdb_handle_at(table, position);
      char* json = NULL;
      if (handle == 0) continue;
      const hdb_status status = hdb_get_json(table, handle, "", &json, error);
      if (status != HDB_OK) return status;
      printf("  %s\n", json);
      hdb_free(json);
    }
  }
  return HDB_OK;
}

/* Loads `path`, gives the first monster more hp, and saves it as `edited`. */
static hdb_status edit(const char* path, const char* edited, hdb_error** error) {
  hdb_database* database = NULL;
  hdb_snapshot* now = NULL;
  /* Whatever else the file has, also what C cannot show, is saved again. */
  const hdb_load_options keep = {.struct_size = sizeof keep, .keep_unknown = 1};
  hdb_status status = hdb_database_create(&database, error);
  if (status == HDB_OK) status = hdb_tables_create_from(database, path, error);
  if (status == HDB_OK) status = hdb_load(database, path, &keep, NULL, error);
  if (status == HDB_OK) status = print(database, error);
  if (status == HDB_OK) {
    hdb_table* const monsters = hdb_table_find(database, "monsters");
    status = hdb_set_i64(monsters, hdb_handle_at(monsters, 0), "hp", 70, error);
  }
  if (status == HDB_OK) status = hdb_capture(database, &now, error);
  if (status == HDB_OK) status = hdb_save(now, edited, NULL, error);
  hdb_snapshot_free(now);
  hdb_database_free(database);
  return status;
}

int main(int argc, char** argv) {
  const char* const folder = argc > 1 ? argv[1] : "any_save_files"; /* made by the save */
  char path[kPath], edited[kPath];
  hdb_error* error = NULL;
  if (snprintf(path, kPath, "%s/any_save.hdb", folder) >= kPath ||
      snprintf(edited, kPath, "%s/any_save_edited.hdb", folder) >= kPath) {
    fprintf(stderr, "any_save: the name of the folder is too long: %s\n", folder);
    return 1;
  }
  if (make_save(path, &error) != HDB_OK) return failed(error);
  if (edit(path, edited, &error) != HDB_OK) return failed(error);

  hdb_difference difference = {.struct_size = sizeof difference};
  char* text = NULL;
  if (hdb_diff_files(path, edited, 10, &difference, &text, &error) != HDB_OK) return failed(error);
  printf("changed: %s", text);
  const int is_right = strstr(text, "monsters:0@1.hp: 40 -> 70") != NULL &&
                       difference.changed == 1 && difference.added == 0 && difference.removed == 0;
  hdb_free(text);
  if (!is_right) fprintf(stderr, "any_save: the files differ in something else\n");
  return is_right ? 0 : 1;
}
