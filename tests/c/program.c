/* A C11 program that uses everything of hdb/c.h: program FOLDER FIXTURE... */
#include "check.h"

#include <stddef.h>

int checks = 0;
hdb_error* error = NULL;

hdb_hash state_hash(hdb_database* database) {
  hdb_snapshot* snapshot = NULL;
  hdb_hash hash = {0, 0};
  OK(hdb_capture(database, &snapshot, &error));
  OK(hdb_snapshot_hash(snapshot, &hash, &error));
  hdb_snapshot_free(snapshot);
  return hash;
}

int equal(hdb_hash a, hdb_hash b) { return a.low == b.low && a.high == b.high; }

/* --- structs of the program */

typedef struct Vec2 {
  float x;
  float y;
} Vec2;

typedef struct Slot {
  uint8_t kind;
  uint16_t amount;
} Slot;

typedef struct Monster {
  int32_t hp;
  uint8_t is_angry;
  Vec2 position;
  hdb_handle target;
  Slot slots[3];
  double weights[2][2];
  uint8_t mood;
} Monster;

#define FIELD(member, its_kind)                                          \
  .struct_size = sizeof(hdb_field), .name = #member, .kind = (its_kind), \
  .offset = offsetof(Monster, member)
#define ELEMENT(its_kind) .struct_size = sizeof(hdb_field), .kind = (its_kind)

static const hdb_field kVec2[] = {
    {.struct_size = sizeof(hdb_field), .name = "x", .kind = HDB_F32, .offset = offsetof(Vec2, x)},
    {.struct_size = sizeof(hdb_field), .name = "y", .kind = HDB_F32, .offset = offsetof(Vec2, y)}};
static const hdb_field kSlot[] = {{.struct_size = sizeof(hdb_field),
                                   .name = "kind",
                                   .kind = HDB_U8,
                                   .offset = offsetof(Slot, kind)},
                                  {.struct_size = sizeof(hdb_field),
                                   .name = "amount",
                                   .kind = HDB_U16,
                                   .offset = offsetof(Slot, amount)}};
static const hdb_field kSlotElement = {ELEMENT(HDB_STRUCT), .children = kSlot, .child_count = 2};
static const hdb_field kDouble = {ELEMENT(HDB_F64)};
static const hdb_field kTwoDoubles = {ELEMENT(HDB_ARRAY), .count = 2, .children = &kDouble,
                                      .child_count = 1};
static const hdb_field kByte = {ELEMENT(HDB_U8)};
static const char* const kMoodNames[] = {"calm", "angry"};
static const uint64_t kMoodNumbers[] = {0, 7};
static const hdb_field kMonster[] = {
    {FIELD(hp, HDB_I32)},
    {FIELD(is_angry, HDB_BOOLEAN)},
    {FIELD(position, HDB_STRUCT), .children = kVec2, .child_count = 2},
    {FIELD(target, HDB_HANDLE), .table = "monsters"},
    {FIELD(slots, HDB_ARRAY), .count = 3, .stride = sizeof(Slot), .children = &kSlotElement,
     .child_count = 1},
    {FIELD(weights, HDB_ARRAY), .count = 2, .children = &kTwoDoubles, .child_count = 1},
    {FIELD(mood, HDB_ENUM), .children = &kByte, .child_count = 1, .value_names = kMoodNames,
     .value_numbers = kMoodNumbers, .value_count = 2}};
enum { kMonsterFields = sizeof kMonster / sizeof kMonster[0] };

static hdb_table* create_monsters(hdb_database* database) {
  static const Monster kNewborn = {.hp = 100, .mood = 7};
  const hdb_table_options options = {.struct_size = sizeof options,
                                     .fields = kMonster,
                                     .field_count = kMonsterFields,
                                     .record_size = sizeof(Monster),
                                     .record_alignment = _Alignof(Monster),
                                     .initial = &kNewborn,
                                     .initial_size = sizeof kNewborn,
                                     .free_list = HDB_FIFO};
  hdb_table* table = NULL;
  OK(hdb_table_create(database, "monsters", &options, &table, &error));
  CHECK(table != NULL && hdb_table_find(database, "monsters") == table);
  return table;
}

static void check_description(hdb_database* database, const hdb_table* monsters) {
  hdb_table_options options = {.struct_size = sizeof options};
  OK(hdb_table_describe(monsters, &options, &error));
  const hdb_field* const fields = options.fields;
  CHECK(options.field_count == kMonsterFields && options.record_size == sizeof(Monster));
  CHECK(options.free_list == HDB_FIFO && options.layout.index_bits == 32 && options.owner == NULL);
  CHECK(((const Monster*)options.initial)->hp == 100 && options.max_records == UINT64_MAX);
  CHECK(strcmp(fields[4].name, "slots") == 0);
  CHECK(fields[4].offset == offsetof(Monster, slots) && fields[4].stride == sizeof(Slot));
  CHECK(fields[4].children[0].children[1].offset == offsetof(Slot, amount));
  CHECK(fields[6].value_count == 2 && strcmp(fields[6].value_names[1], "angry") == 0);
  char* json = NULL;
  OK(hdb_schema_json(database, &json, &error));
  CHECK(strstr(json, "\"name\":\"amount\",\"kind\":\"u16\"") != NULL);
  CHECK(strstr(json, "\"table\":\"monsters\"") != NULL);
  hdb_free(json);
}

static void check_files(hdb_database* database, const hdb_snapshot* before,
                        const hdb_snapshot* after, hdb_handle imp, const char* folder) {
  char path[1024];
  char later[1024];
  snprintf(path, sizeof path, "%s/monsters.hdb", folder);
  snprintf(later, sizeof later, "%s/later.hdb", folder);
  const hdb_save_options options = {
      .struct_size = sizeof options, .title = "The Gate", .sequence = 4, .level = 3, .backups = 1};
  OK(hdb_save(before, path, &options, &error));
  OK(hdb_save(after, later, NULL, &error));
  hdb_info info = {.struct_size = sizeof info};
  OK(hdb_read_info(path, &info, &error));
  CHECK(strcmp(info.title, "The Gate") == 0 && info.sequence == 4 && info.file_bytes > 0);
  hdb_free(info.title);
  hdb_hash hash;
  OK(hdb_snapshot_hash(before, &hash, &error));
  CHECK(equal(hash, info.state_hash));
  char* text = NULL;
  OK(hdb_validate(path, HDB_VALIDATE_DEEP, &text, &error));
  CHECK(text[0] == '\0');
  hdb_free(text);

  hdb_difference difference = {.struct_size = sizeof difference};
  OK(hdb_diff_files(path, later, 10, &difference, &text, &error));
  CHECK(difference.differs == 1 && difference.changed == 1 && difference.removed == 0);
  CHECK(strcmp(text, "monsters:0@1.hp: 7 -> 6\n") == 0);
  hdb_free(text);
  OK(hdb_diff_snapshots(before, after, 10, &difference, &text, &error));
  CHECK(difference.changed == 1 && strcmp(text, "monsters:0@1.hp: 7 -> 6\n") == 0);
  hdb_free(text);
  OK(hdb_diff_snapshots(before, before, 10, &difference, NULL, &error));
  CHECK(difference.differs == 0 && difference.changed == 0);

  char* summary = NULL;
  OK(hdb_load(database, path, NULL, &summary, &error));
  CHECK(strcmp(summary, "monsters: 2 records") == 0);
  hdb_free(summary);
  CHECK(((const Monster*)hdb_find(hdb_table_find(database, "monsters"), imp, NULL))->hp == 7);

  /* Of two programs that loaded the file, the second one replaces nothing. */
  hdb_hash loaded = {0};
  const hdb_load_options telling = {.struct_size = sizeof telling, .file_id = &loaded};
  OK(hdb_load(database, path, &telling, NULL, &error));
  CHECK(equal(loaded, info.file_id));
  hdb_hash saved = {0};
  const hdb_save_options mine = {.struct_size = sizeof mine, .expected = loaded, .file_id = &saved};
  OK(hdb_save(before, path, &mine, &error));
  CHECK(!equal(saved, loaded));
  FAILS(HDB_E_superseded, hdb_save(after, path, &mine, &error));
  OK(hdb_read_info(path, &info, &error));
  CHECK(equal(saved, info.file_id));
  hdb_free(info.title);

  void* bytes = NULL;
  size_t size = 0;
  OK(hdb_save_bytes(after, NULL, &bytes, &size, &error));
  const hdb_load_options loading = {.struct_size = sizeof loading, .fork = 1, .verify = 1};
  OK(hdb_load_bytes(database, bytes, size, &loading, NULL, &error));
  hdb_free(bytes);
  CHECK(((const Monster*)hdb_find(hdb_table_find(database, "monsters"), imp, NULL))->hp == 6);
}

void test_structs(const char* folder) {
  hdb_database* database = NULL;
  OK(hdb_database_create(&database, &error));
  hdb_table* const monsters = create_monsters(database);
  check_description(database, monsters);

  Monster monster;
  memset(&monster, 0, sizeof monster);
  monster.hp = 7;
  monster.position.y = 2.5f;
  monster.slots[2].amount = 515;
  monster.weights[1][0] = -0.5;
  hdb_handle imp = 0;
  hdb_handle newborn = 0;
  OK(hdb_insert(monsters, &monster, sizeof monster, &imp, &error));
  OK(hdb_insert(monsters, NULL, 0, &newborn, &error));
  CHECK(imp == ((uint64_t)1 << 32) && newborn == (((uint64_t)1 << 32) | 1));
  size_t size = 0;
  const Monster* found = hdb_find(monsters, imp, &size);
  CHECK(size == sizeof monster && memcmp(found, &monster, sizeof monster) == 0);
  found = hdb_find(monsters, newborn, NULL);
  CHECK(found->hp == 100 && found->mood == 7);
  uint64_t count = 0;
  const Monster* const all = hdb_records(monsters, &count);
  CHECK(count == 2 && all[0].hp == 7 && all[1].hp == 100);
  CHECK(hdb_count(monsters) == 2 && hdb_position_end(monsters) == 2);
  CHECK(hdb_handle_at(monsters, 1) == newborn && hdb_handle_at(monsters, 2) == 0);

  hdb_snapshot* before = NULL;
  hdb_snapshot* after = NULL;
  OK(hdb_capture(database, &before, &error));
  void* edited = NULL;
  OK(hdb_edit(monsters, imp, &edited, &error));
  ((Monster*)edited)->hp = 6;
  OK(hdb_capture(database, &after, &error));
  CHECK(((const Monster*)hdb_find(monsters, imp, NULL))->hp == 6);
  check_files(database, before, after, imp, folder);

  OK(hdb_restore(database, before, 0, &error));
  CHECK(((const Monster*)hdb_find(monsters, imp, NULL))->hp == 7);
  OK(hdb_erase(monsters, imp, &error));
  CHECK(hdb_find(monsters, imp, &size) == NULL && size == 0);
  FAILS(HDB_E_not_found, hdb_erase(monsters, imp, &error));
  FAILS(HDB_E_not_found, hdb_edit(monsters, imp, &edited, &error));
  CHECK(edited == NULL);
  FAILS(HDB_E_not_found, hdb_replace(monsters, imp, &monster, sizeof monster, &error));
  OK(hdb_replace(monsters, newborn, &monster, sizeof monster, &error));
  CHECK(((const Monster*)hdb_find(monsters, newborn, NULL))->slots[2].amount == 515);
  OK(hdb_clear(monsters, &error));
  CHECK(hdb_count(monsters) == 0 && hdb_find(monsters, newborn, NULL) == NULL);

  OK(hdb_table_drop(database, "monsters", &error));
  CHECK(hdb_table_find(database, "monsters") == NULL && hdb_count(monsters) == 0);
  FAILS(HDB_E_not_found, hdb_insert(monsters, NULL, 0, &imp, &error));
  CHECK(imp == 0);
  FAILS(HDB_E_not_found, hdb_table_drop(database, "monsters", &error));
  OK(hdb_restore(database, before, 0, &error)); /* brings the table back */
  CHECK(hdb_table_find(database, "monsters") == monsters && hdb_count(monsters) == 2);
  hdb_database_free(database);
  hdb_hash hash; /* snapshots outlive the database */
  OK(hdb_snapshot_hash(before, &hash, &error));
  hdb_snapshot_free(before);
  hdb_snapshot_free(after);
}

/* --- rows */

void test_rows(const char* folder) {
  static const hdb_field kText = {ELEMENT(HDB_STRING), .utf8 = 1};
  static const hdb_field kNumbers[] = {{ELEMENT(HDB_STRING)}, {ELEMENT(HDB_U16)}};
  static const hdb_field kHero[] = {
      {.struct_size = sizeof(hdb_field), .name = "name", .kind = HDB_STRING, .utf8 = 1},
      {.struct_size = sizeof(hdb_field),
       .name = "titles",
       .kind = HDB_LIST,
       .children = &kText,
       .child_count = 1},
      {.struct_size = sizeof(hdb_field),
       .name = "ally",
       .kind = HDB_HANDLE,
       .table = "heroes",
       .strong = 1},
      {.struct_size = sizeof(hdb_field),
       .name = "skills",
       .kind = HDB_MAP,
       .children = kNumbers,
       .child_count = 2}};
  const hdb_table_options options = {
      .struct_size = sizeof options, .fields = kHero, .field_count = 4, .storage = HDB_STABLE};
  hdb_database* database = NULL;
  hdb_table* heroes = NULL;
  OK(hdb_database_create(&database, &error));
  OK(hdb_table_create(database, "heroes", &options, &heroes, &error));

  const unsigned char ann[] = {3, 'A', 'n', 'n', 1, 4, 'D', 'u', 'k', 'e', 0, 0, 0,
                               0, 0,   0,   0,   0, 1, 3,   'b', 'o', 'w', 9, 0};
  hdb_handle handle = 0;
  OK(hdb_insert(heroes, ann, sizeof ann, &handle, &error));
  size_t size = 0;
  const void* found = hdb_find(heroes, handle, &size);
  CHECK(size == sizeof ann && memcmp(found, ann, sizeof ann) == 0);
  hdb_handle empty = 0;
  OK(hdb_insert(heroes, NULL, 0, &empty, &error));
  CHECK(hdb_find(heroes, empty, &size) != NULL && size == 11);
  CHECK(hdb_records(heroes, NULL) == NULL);
  void* edited = NULL;
  FAILS(HDB_E_bad_options, hdb_edit(heroes, handle, &edited, &error));

  unsigned char wrong[sizeof ann];
  FAILS(HDB_E_invalid_value, hdb_insert(heroes, ann, sizeof ann - 1, &empty, &error));
  memcpy(wrong, ann, sizeof ann);
  wrong[1] = 0xff;
  FAILS(HDB_E_invalid_value, hdb_replace(heroes, handle, wrong, sizeof wrong, &error));
  const unsigned char twice[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 'a', 1, 0, 1, 'a', 2, 0};
  FAILS(HDB_E_invalid_value, hdb_insert(heroes, twice, sizeof twice, NULL, &error));
  CHECK(hdb_count(heroes) == 2);
  found = hdb_find(heroes, handle, &size);
  CHECK(size == sizeof ann && memcmp(found, ann, sizeof ann) == 0);

  char path[1024];
  snprintf(path, sizeof path, "%s/heroes.hdb", folder);
  hdb_snapshot* snapshot = NULL;
  OK(hdb_capture(database, &snapshot, &error));
  OK(hdb_replace(heroes, handle, NULL, 0, &error));
  CHECK(hdb_find(heroes, handle, &size) != NULL && size == 11);
  OK(hdb_save(snapshot, path, NULL, &error));
  OK(hdb_validate(path, HDB_VALIDATE_DEEP, NULL, &error));
  hdb_database* other = NULL;
  OK(hdb_database_create(&other, &error));
  OK(hdb_tables_create_from(other, path, &error));
  OK(hdb_load(other, path, NULL, NULL, &error));
  found = hdb_find(hdb_table_find(other, "heroes"), handle, &size);
  CHECK(size == sizeof ann && memcmp(found, ann, sizeof ann) == 0);
  FAILS(HDB_E_foreign_snapshot, hdb_restore(other, snapshot, 0, &error));
  hdb_snapshot_free(snapshot);
  hdb_database_free(other);
  hdb_database_free(database);
}

/* --- component tables, names, singletons */

void test_components_and_names(void) {
  static const hdb_field kNumber[] = {
      {.struct_size = sizeof(hdb_field), .name = "value", .kind = HDB_U32}};
  hdb_table_options options = {.struct_size = sizeof options,
                               .fields = kNumber,
                               .field_count = 1,
                               .record_size = 4,
                               .record_alignment = 4,
                               .names = HDB_EXACT_NAMES};
  hdb_database* database = NULL;
  hdb_table* entities = NULL;
  hdb_table* health = NULL;
  hdb_table* clock = NULL;
  OK(hdb_database_create(&database, &error));
  OK(hdb_table_create(database, "entities", &options, &entities, &error));
  options.names = HDB_NO_NAMES;
  options.owner = entities;
  OK(hdb_table_create(database, "Health", &options, &health, &error));
  options.owner = NULL;
  options.is_singleton = 1;
  OK(hdb_table_create(database, "clock", &options, &clock, &error));
  CHECK(hdb_table_at(database, 0) == health && hdb_table_at(database, 1) == clock);
  CHECK(hdb_table_at(database, 2) == entities && hdb_table_at(database, 3) == NULL);

  uint32_t number = 5;
  hdb_handle door = 0;
  OK(hdb_insert_named(entities, "door", 4, &number, 4, &door, &error));
  CHECK(hdb_find_named(entities, "door", 4) == door && hdb_find_named(entities, "doors", 5) == 0);
  FAILS(HDB_E_duplicate_name, hdb_insert_named(entities, "door", 4, NULL, 0, NULL, &error));
  hdb_handle wall = 0;
  OK(hdb_insert(entities, NULL, 0, &wall, &error));
  CHECK(hdb_name(entities, wall, NULL) == NULL);
  FAILS(HDB_E_duplicate_name, hdb_rename(entities, wall, "door", 4, &error));
  OK(hdb_rename(entities, door, "gate", 4, &error));
  size_t size = 0;
  CHECK(memcmp(hdb_name(entities, door, &size), "gate", 4) == 0 && size == 4);
  OK(hdb_rename(entities, door, NULL, 0, &error));
  CHECK(hdb_find_named(entities, "gate", 4) == 0);
  FAILS(HDB_E_bad_options, hdb_rename(clock, hdb_handle_at(clock, 0), "x", 1, &error));
  FAILS(HDB_E_bad_options, hdb_insert_named(health, "x", 1, NULL, 0, NULL, &error));

  FAILS(HDB_E_bad_options, hdb_insert(health, &number, 4, NULL, &error));
  OK(hdb_insert_component(health, wall, &number, 4, &error));
  CHECK(*(const uint32_t*)hdb_find(health, wall, NULL) == 5);
  CHECK(hdb_find(health, door, NULL) == NULL && hdb_handle_at(health, 0) == wall);
  FAILS(HDB_E_duplicate_name, hdb_insert_component(health, wall, &number, 4, &error));
  FAILS(HDB_E_bad_options, hdb_insert_component(entities, wall, &number, 4, &error));
  OK(hdb_erase(entities, wall, &error));
  CHECK(hdb_count(health) == 0 && hdb_find(health, wall, NULL) == NULL);
  FAILS(HDB_E_not_found, hdb_insert_component(health, wall, &number, 4, &error));

  void* time = NULL;
  CHECK(hdb_count(clock) == 1);
  OK(hdb_edit(clock, hdb_handle_at(clock, 0), &time, &error));
  *(uint32_t*)time = 90;
  FAILS(HDB_E_table_full, hdb_insert(clock, &number, 4, NULL, &error));
  FAILS(HDB_E_bad_options, hdb_erase(clock, hdb_handle_at(clock, 0), &error));
  FAILS(HDB_E_bad_options, hdb_clear(clock, &error));
  OK(hdb_table_drop(database, "entities", &error)); /* and its components */
  CHECK(hdb_table_find(database, "Health") == NULL && hdb_table_at(database, 0) == clock);
  hdb_database_free(database);
}

/* --- the golden files: what is loaded and saved again has the same state */

void test_fixtures(const char* folder, int count, char** files) {
  for (int i = 0; i < count; ++i) {
    hdb_database* database = NULL;
    hdb_info info = {.struct_size = sizeof info};
    OK(hdb_read_info(files[i], &info, &error));
    hdb_free(info.title);
    OK(hdb_database_create(&database, &error));
    OK(hdb_tables_create_from(database, files[i], &error));
    const hdb_load_options options = {
        .struct_size = sizeof options, .keep_unknown = 1, .verify = 1};
    char* summary = NULL;
    OK(hdb_load(database, files[i], &options, &summary, &error));
    /* The progress of a sort by an earlier version is state that goes. */
    const int is_whole = strstr(summary, "progress of a sort dropped") == NULL;
    CHECK(is_whole || strstr(files[i], "resources.hdb") != NULL);
    CHECK(equal(state_hash(database), info.state_hash) == is_whole);
    hdb_free(summary);

    char path[1024];
    snprintf(path, sizeof path, "%s/again.hdb", folder);
    hdb_snapshot* snapshot = NULL;
    OK(hdb_capture(database, &snapshot, &error));
    OK(hdb_save(snapshot, path, NULL, &error));
    OK(hdb_validate(path, HDB_VALIDATE_DEEP, NULL, &error));
    hdb_difference difference = {.struct_size = sizeof difference};
    OK(hdb_diff_files(files[i], path, 10, &difference, NULL, &error));
    CHECK(difference.differs == !is_whole);
    hdb_snapshot_free(snapshot);
    hdb_database_free(database);
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  test_structs(argv[1]);
  test_rows(argv[1]);
  test_components_and_names();
  test_background(argv[1]);
  test_histories();
  test_imports(argv[1]);
  test_columns();
  test_blobs(argv[1]);
  test_resources();
  test_fixtures(argv[1], argc - 2, argv + 2);
  test_garbage(argv[1], argv[2]);
  test_hostile_files(argv[2]);
  printf("c: checks=%d failures=0\n", checks);
  return 0;
}
