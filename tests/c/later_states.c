/* Saves in the background, changes, histories, imports and columns, from a C program. */
#include "check.h"

#include <stddef.h>
#include <stdint.h>

typedef struct Unit {
  int32_t hp;
  uint8_t seen;
  double speed;
  hdb_handle target;
} Unit;

static const hdb_field kUnit[] = {
    {.struct_size = sizeof(hdb_field), .name = "hp", .kind = HDB_I32, .offset = offsetof(Unit, hp)},
    {.struct_size = sizeof(hdb_field),
     .name = "seen",
     .kind = HDB_BOOLEAN,
     .offset = offsetof(Unit, seen)},
    {.struct_size = sizeof(hdb_field),
     .name = "speed",
     .kind = HDB_F64,
     .offset = offsetof(Unit, speed)},
    {.struct_size = sizeof(hdb_field),
     .name = "target",
     .kind = HDB_HANDLE,
     .table = "units",
     .offset = offsetof(Unit, target)}};

static hdb_database* make_world(hdb_table** units) {
  const hdb_table_options options = {.struct_size = sizeof options,
                                     .fields = kUnit,
                                     .field_count = 4,
                                     .record_size = sizeof(Unit),
                                     .record_alignment = _Alignof(Unit),
                                     .names = HDB_EXACT_NAMES};
  hdb_database* database = NULL;
  OK(hdb_database_create(&database, &error));
  OK(hdb_table_create(database, "units", &options, units, &error));
  return database;
}

static hdb_handle add(hdb_table* units, const char* name, Unit unit) {
  hdb_handle handle = 0;
  OK(hdb_insert_named(units, name, strlen(name), &unit, sizeof unit, &handle, &error));
  return handle;
}

void test_background(const char* folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/background.hdb", folder);
  hdb_table* units = NULL;
  hdb_database* database = make_world(&units);
  add(units, "imp", (Unit){.hp = 40});
  hdb_snapshot* snapshot = NULL;
  OK(hdb_capture(database, &snapshot, &error));
  const hdb_hash hash = state_hash(database);

  hdb_saving* saving = NULL;
  const hdb_save_options titled = {.struct_size = sizeof titled, .title = "Gate"};
  OK(hdb_save_start(snapshot, path, &titled, &saving, &error));
  hdb_snapshot_free(snapshot);
  OK(hdb_clear(units, &error)); /* the game goes on */
  OK(hdb_saving_wait(saving, &error));
  OK(hdb_saving_wait(saving, &error));
  CHECK(hdb_saving_is_done(saving) == 1 && hdb_saving_progress(saving) == 1);
  hdb_info info = {.struct_size = sizeof info};
  OK(hdb_read_info(path, &info, &error));
  CHECK(equal(info.state_hash, hash) && strcmp(info.title, "Gate") == 0);
  hdb_free(info.title);
  hdb_hash id = {0, 0};
  OK(hdb_saving_file_id(saving, &id, &error));
  CHECK(equal(id, info.file_id) && id.low != 0);
  hdb_saving_cancel(saving); /* too late: nothing happens */
  OK(hdb_saving_wait(saving, &error));
  hdb_saving_free(saving);

  /* What goes wrong is the result of the save, and the old file stays. */
  OK(hdb_capture(database, &snapshot, &error));
  const hdb_save_options other = {.struct_size = sizeof other, .expected = {1, 2}};
  OK(hdb_save_start(snapshot, path, &other, &saving, &error));
  FAILS(HDB_E_superseded, hdb_saving_wait(saving, &error));
  FAILS(HDB_E_superseded, hdb_saving_file_id(saving, &id, &error));
  CHECK(id.low == 0 && hdb_saving_is_done(saving) == 1);
  hdb_saving_free(saving);
  OK(hdb_read_info(path, &info, &error));
  CHECK(equal(info.state_hash, hash));
  hdb_free(info.title);
  const hdb_save_options with_id = {.struct_size = sizeof with_id, .file_id = &id};
  FAILS(HDB_BAD_ARGUMENT, hdb_save_start(snapshot, path, &with_id, &saving, &error));
  CHECK(saving == NULL);

  /* A save that is cancelled ends either way, and is reported as it ended. */
  OK(hdb_save_start(snapshot, path, NULL, &saving, &error));
  hdb_saving_cancel(saving);
  const hdb_status ended = hdb_saving_wait(saving, NULL);
  CHECK(ended == HDB_OK || ended == (hdb_status)HDB_E_cancelled);
  hdb_saving_free(saving);
  hdb_snapshot_free(snapshot);
  hdb_database_free(database);
}

static size_t count_of(const hdb_changes* changes, int what) {
  size_t count = 9;
  const hdb_handle* const handles = hdb_changes_handles(changes, "units", what, &count);
  CHECK((handles == NULL) == (count == 0));
  return count;
}

void test_histories(void) {
  hdb_table* units = NULL;
  hdb_database* database = make_world(&units);
  const hdb_handle imp = add(units, "imp", (Unit){.hp = 100});
  hdb_history* history = NULL;
  const hdb_history_options options = {.struct_size = sizeof options, .frames = 8};
  OK(hdb_history_create(database, &options, &history, &error));
  CHECK(hdb_history_frames(history, NULL, NULL) == 0);
  for (uint64_t frame = 0; frame < 20; ++frame) {
    OK(hdb_history_record(history, frame, &error));
    OK(hdb_set_i64(units, imp, "hp", 99 - (int64_t)frame, &error));
  }
  FAILS(HDB_E_bad_options, hdb_history_record(history, 19, &error));
  uint64_t oldest = 0;
  uint64_t newest = 0;
  CHECK(hdb_history_frames(history, &oldest, &newest) == 8 && oldest == 12 && newest == 19);
  CHECK(hdb_history_at_or_before(history, 30, &newest) == 1 && newest == 19);
  CHECK(hdb_history_at_or_before(history, 11, NULL) == 0);
  CHECK(hdb_history_bytes(history) != 0);

  const hdb_handle orc = add(units, "orc", (Unit){.hp = 1});
  hdb_changes* changes = NULL;
  OK(hdb_history_since(history, 15, &changes, &error));
  CHECK(hdb_changes_table_count(changes) == 1);
  CHECK(strcmp(hdb_changes_table(changes, 0), "units") == 0);
  CHECK(hdb_changes_table(changes, 1) == NULL);
  size_t count = 0;
  CHECK(hdb_changes_handles(changes, "units", HDB_CREATED, &count)[0] == orc && count == 1);
  CHECK(hdb_changes_handles(changes, "units", HDB_CHANGED, &count)[0] == imp && count == 1);
  CHECK(count_of(changes, HDB_ERASED) == 0 && count_of(changes, 3) == 0);
  CHECK(hdb_changes_handles(changes, "others", HDB_CREATED, &count) == NULL && count == 0);
  hdb_changes_free(changes);

  hdb_snapshot* before = NULL;
  hdb_snapshot* after = NULL;
  OK(hdb_capture(database, &before, &error));
  FAILS(HDB_E_not_found, hdb_history_rewind(history, 3, 0, &error));
  CHECK(hdb_count(units) == 2);
  OK(hdb_history_rewind(history, 15, 0, &error)); /* the state before frame 15 ran */
  int64_t hp = 0;
  OK(hdb_get_i64(units, imp, "hp", &hp, &error));
  CHECK(hp == 85 && hdb_count(units) == 1);
  CHECK(hdb_history_frames(history, &oldest, &newest) == 4 && newest == 15);
  OK(hdb_capture(database, &after, &error));
  OK(hdb_changes_between(before, after, &changes, &error));
  CHECK(hdb_changes_handles(changes, "units", HDB_ERASED, &count)[0] == orc && count == 1);
  CHECK(count_of(changes, HDB_CREATED) == 0 && count_of(changes, HDB_CHANGED) == 1);
  hdb_changes_free(changes);
  OK(hdb_changes_between(after, after, &changes, &error));
  CHECK(hdb_changes_table_count(changes) == 0);
  hdb_changes_free(changes);
  hdb_snapshot_free(before);
  hdb_snapshot_free(after);

  OK(hdb_history_snapshot(history, 12, &after, &error));
  OK(hdb_restore(database, after, 0, &error));
  OK(hdb_get_i64(units, imp, "hp", &hp, &error));
  CHECK(hp == 88);
  FAILS(HDB_E_not_found, hdb_history_snapshot(history, 99, &before, &error));
  FAILS(HDB_E_not_found, hdb_history_since(history, 99, &changes, &error));
  CHECK(before == NULL && changes == NULL);
  hdb_history_clear(history);
  CHECK(hdb_history_frames(history, &oldest, &newest) == 0 && newest == 0);
  hdb_database_free(database);
  hdb_snapshot_free(after);
  hdb_history_free(history);
}

void test_imports(const char* folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/prefab.hdb", folder);
  hdb_table* prefab = NULL;
  hdb_database* editor = make_world(&prefab);
  const hdb_handle stranger = add(prefab, "stranger", (Unit){.hp = 1});
  const hdb_handle door = add(prefab, "door", (Unit){.hp = 2});
  const hdb_handle key = add(prefab, "key", (Unit){.hp = 3, .target = door});
  OK(hdb_set_u64(prefab, door, "target", stranger, &error));
  OK(hdb_erase(prefab, stranger, &error));
  hdb_snapshot* snapshot = NULL;
  OK(hdb_capture(editor, &snapshot, &error));
  OK(hdb_save(snapshot, path, NULL, &error));

  hdb_table* units = NULL;
  hdb_database* game = make_world(&units);
  const hdb_handle own_door = add(units, "door", (Unit){.hp = 7});
  const hdb_hash before = state_hash(game);
  hdb_import* report = NULL;
  FAILS(HDB_E_duplicate_name, hdb_import_file(game, path, NULL, &report, &error));
  const char* const unknown[] = {"nothing"};
  hdb_import_options options = {.struct_size = sizeof options, .tables = unknown, .table_count = 1};
  CHECK(hdb_import_file(game, path, &options, &report, NULL) != HDB_OK && report == NULL);
  options = (hdb_import_options){.struct_size = sizeof options, .name_clash = 3};
  FAILS(HDB_BAD_ARGUMENT, hdb_import_file(game, path, &options, &report, &error));
  CHECK(equal(state_hash(game), before));

  options.name_clash = HDB_DROP_NAME;
  OK(hdb_import_file(game, path, &options, &report, &error));
  CHECK(hdb_count(units) == 3 && hdb_import_count(report, "units") == 2);
  CHECK(hdb_import_count(report, "others") == 0 && hdb_import_unresolved(report) == 1);
  const hdb_handle new_key = hdb_import_find(report, "units", key);
  const hdb_handle new_door = hdb_import_find(report, "units", door);
  CHECK(new_key != 0 && new_door != 0 && new_door != own_door);
  CHECK(hdb_import_find(report, "units", stranger) == 0);
  CHECK(hdb_import_find(report, "others", key) == 0);
  const Unit* const made = hdb_find(units, new_key, NULL);
  CHECK(made->hp == 3 && made->target == new_door);
  CHECK(((const Unit*)hdb_find(units, new_door, NULL))->target == 0);
  hdb_handle in_file = 0;
  hdb_handle now = 0;
  CHECK(hdb_import_record(report, "units", 0, &in_file, &now) == 1);
  CHECK(in_file == door && now == new_door);
  CHECK(hdb_import_record(report, "units", 2, &in_file, &now) == -1 && in_file == 0 && now == 0);
  char* text = NULL;
  OK(hdb_import_summary(report, &text, &error));
  CHECK(strstr(text, "units: 2 records") != NULL);
  hdb_free(text);
  hdb_import_free(report);

  void* bytes = NULL;
  size_t size = 0;
  OK(hdb_save_bytes(snapshot, NULL, &bytes, &size, &error));
  options.name_clash = HDB_USE_EXISTING;
  OK(hdb_import_bytes(game, bytes, size, &options, &report, &error));
  CHECK(hdb_import_record(report, "units", 0, NULL, &now) == 0 && now == own_door);
  hdb_import_free(report);
  OK(hdb_import_bytes(game, bytes, size, &options, NULL, &error));
  FAILS(HDB_E_bad_signature, hdb_import_bytes(game, bytes, 3, &options, NULL, &error));
  hdb_free(bytes);
  hdb_snapshot_free(snapshot);
  hdb_database_free(game);
  hdb_database_free(editor);
}

void test_columns(void) {
  enum { kCount = 3000 }; /* several batches */
  static int32_t hp[kCount];
  static double speed[kCount];
  static int64_t wide[kCount];
  static uint64_t targets[kCount];
  static uint8_t seen[kCount];
  static hdb_handle handles[kCount];
  hdb_table* units = NULL;
  hdb_database* database = make_world(&units);
  hdb_handle last = 0;
  for (int32_t i = 0; i < kCount + 1; ++i) {
    const Unit unit = {.hp = -i, .seen = (uint8_t)(i % 2), .speed = i * 0.5, .target = last};
    OK(hdb_insert(units, &unit, sizeof unit, &last, &error));
  }
  OK(hdb_erase(units, hdb_handle_at(units, 7), &error));
  CHECK(hdb_count(units) == kCount);
  OK(hdb_read_handles(units, handles, kCount, &error));
  OK(hdb_read_column(units, "hp", HDB_I32, hp, kCount, &error));
  OK(hdb_read_column(units, "hp", HDB_I64, wide, kCount, &error));
  OK(hdb_read_column(units, "speed", HDB_F64, speed, kCount, &error));
  OK(hdb_read_column(units, "target", HDB_U64, targets, kCount, &error));
  OK(hdb_read_column(units, "seen", HDB_BOOLEAN, seen, kCount, &error));
  for (size_t i = 0; i < kCount; ++i) {
    const Unit* const unit = hdb_find(units, handles[i], NULL);
    CHECK(hdb_handle_at(units, i) == handles[i] && unit->hp == hp[i] && unit->hp == wide[i]);
    CHECK(unit->speed == speed[i] && unit->target == targets[i] && unit->seen == seen[i]);
  }
  OK(hdb_read_column(units, "hp", HDB_F64, speed, kCount, &error));
  CHECK(speed[kCount - 1] == hp[kCount - 1]);

  hdb_kind kind = 0;
  OK(hdb_column_kind(units, "target", &kind, &error));
  CHECK(kind == HDB_U64);
  OK(hdb_column_kind(units, "seen", &kind, &error));
  CHECK(kind == HDB_BOOLEAN);
  FAILS(HDB_E_not_found, hdb_column_kind(units, "hpp", &kind, &error));
  CHECK(kind == 0);
  FAILS(HDB_E_value_out_of_range, hdb_read_column(units, "hp", HDB_U64, wide, kCount, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_read_column(units, "hp", HDB_I16, wide, kCount, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_read_column(units, "hp", HDB_STRING, wide, kCount, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_read_column(units, "hp", HDB_I32, hp, kCount - 1, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_read_column(units, "hp", HDB_I32, NULL, kCount, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_read_handles(units, handles, kCount + 1, &error));
  FAILS(HDB_BAD_ARGUMENT, hdb_read_handles(units, NULL, kCount, &error));
  OK(hdb_clear(units, &error));
  OK(hdb_read_column(units, "hp", HDB_I32, NULL, 0, &error));
  OK(hdb_table_drop(database, "units", &error));
  FAILS(HDB_E_not_found, hdb_read_handles(units, NULL, 0, &error));

  /* Of rows: only what every record has once is a column. */
  static const hdb_field kInner[] = {
      {.struct_size = sizeof(hdb_field), .name = "x", .kind = HDB_F32}};
  static const hdb_field kNumber = {.struct_size = sizeof(hdb_field), .kind = HDB_U8};
  static const hdb_field kRow[] = {
      {.struct_size = sizeof(hdb_field),
       .name = "pos",
       .kind = HDB_STRUCT,
       .children = kInner,
       .child_count = 1},
      {.struct_size = sizeof(hdb_field),
       .name = "items",
       .kind = HDB_LIST,
       .children = &kNumber,
       .child_count = 1},
      {.struct_size = sizeof(hdb_field), .name = "name", .kind = HDB_STRING}};
  const hdb_table_options options = {
      .struct_size = sizeof options, .fields = kRow, .field_count = 3};
  hdb_table* rows = NULL;
  OK(hdb_table_create(database, "rows", &options, &rows, &error));
  OK(hdb_insert_json(rows, NULL, 0, "{\"pos\": {\"x\": 0.5}, \"items\": [1, 2]}", NULL, &error));
  float x = 0;
  OK(hdb_read_column(rows, "pos.x", HDB_F32, &x, 1, &error));
  CHECK(x == 0.5f);
  FAILS(HDB_E_type_mismatch, hdb_column_kind(rows, "items[]", &kind, &error));
  FAILS(HDB_E_type_mismatch, hdb_column_kind(rows, "items[0]", &kind, &error));
  FAILS(HDB_E_type_mismatch, hdb_column_kind(rows, "name", &kind, &error));
  FAILS(HDB_E_type_mismatch, hdb_read_column(rows, "pos", HDB_F32, &x, 1, &error));
  hdb_database_free(database);
}
