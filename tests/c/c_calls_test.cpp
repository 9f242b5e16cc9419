// What hdb/c.h promises about rows, options, dropped tables and threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "c/c_objects.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/validate.hpp"
#include "hdb/io.hpp"
#include "support/folder.hpp"
#include "support/source_folder.hpp"

namespace hdb::test::c_calls_test {
namespace {

hdb_field field_of(const char* name, hdb_kind kind, const hdb_field* children = nullptr,
                   std::size_t child_count = 0) {
  hdb_field field = c_field(name, kind);
  field.children = children;
  field.child_count = child_count;
  return field;
}

/// One field of every kind that rows have.
struct EveryKind {
  hdb_field number = field_of(nullptr, HDB_U16);
  hdb_field text = field_of(nullptr, HDB_STRING);
  hdb_field kind = field_of("kind", HDB_U8);
  hdb_field thing = field_of(nullptr, HDB_STRUCT, &kind, 1);
  hdb_field pair[2] = {text, number};
  hdb_field either[2] = {number, text};
  std::vector<hdb_field> fields{field_of("flag", HDB_BOOLEAN),
                                field_of("name", HDB_STRING),
                                field_of("numbers", HDB_LIST, &number, 1),
                                field_of("things", HDB_LIST, &thing, 1),
                                field_of("maybe", HDB_OPTIONAL, &text, 1),
                                field_of("either", HDB_VARIANT, either, 2),
                                field_of("skills", HDB_MAP, pair, 2),
                                field_of("bytes", HDB_OPAQUE),
                                field_of("target", HDB_HANDLE)};

  EveryKind() {
    fields[1].utf8 = 1;
    fields[8].table = "things";
  }
  [[nodiscard]] hdb_table* create(const CDatabase& database) const {
    hdb_table_options options{};
    options.struct_size = sizeof options;
    options.fields = fields.data();
    options.field_count = fields.size();
    return c_create(database, "things", options);
  }
};

/// A row with something in each field.
Bytes full_row() {
  const unsigned char row[] = {1, 2, 'h', 'i',                   // flag, name
                               2, 1, 0,   2,   0,                // numbers
                               2, 7, 8,                          // things
                               1, 1, 'm',                        // maybe
                               1, 1, 'e',                        // either
                               2, 1, 'a', 1,   0, 1, 'b', 2, 0,  // skills
                               2, 9, 9,                          // bytes
                               5, 0, 0,   0,   1, 0, 0,   0};    // target
  const auto* const bytes = reinterpret_cast<const std::byte*>(row);
  return Bytes(bytes, bytes + sizeof row);
}

hdb_status insert(hdb_table* table, const Bytes& row, hdb_handle* handle = nullptr) {
  return hdb_insert(table, row.data(), row.size(), handle, nullptr);
}

TEST(CCalls, AnyRowThatIsAcceptedIsSavedAndLoaded) {  // RR1
  const EveryKind kinds;
  const CDatabase database = c_database();
  hdb_table* const things = kinds.create(database);
  ASSERT_EQ(insert(things, full_row()), hdb_status{HDB_OK});
  std::mt19937 random(20);
  unsigned accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    Bytes row = full_row();
    for (auto edits = 1 + random() % 3; edits != 0; --edits) {
      const std::size_t at = random() % row.size();
      switch (random() % 4) {
        case 0: row[at] = static_cast<std::byte>(random()); break;
        case 1: row[at] = static_cast<std::byte>(random() % 4); break;
        case 2: row.erase(row.begin() + static_cast<std::ptrdiff_t>(at)); break;
        default: row.insert(row.begin() + static_cast<std::ptrdiff_t>(at), std::byte{1}); break;
      }
      if (row.empty()) break;
    }
    hdb_handle handle = 0;
    const hdb_status status = insert(things, row, &handle);
    ASSERT_TRUE(status == HDB_OK || status == HDB_E_invalid_value) << hdb_status_name(status);
    if (status != HDB_OK) continue;
    ++accepted;
    ASSERT_EQ(c_record(things, handle), row);
  }
  EXPECT_GT(accepted, 1000U);
  EXPECT_EQ(hdb_count(things), accepted + 1);
  const Bytes file = c_saved(database);
  const Validation found =
      validate(std::make_unique<MemorySource>(file), {.level = ValidationLevel::deep});
  ASSERT_TRUE(found.is_valid()) << found.findings.front().error.message();
  const CDatabase other = c_database();
  static_cast<void>(kinds.create(other));
  c_load(other, file);
  EXPECT_EQ(c_state_hash(other), c_state_hash(database));
}

TEST(CCalls, RowsThatFilesMayNotHaveAreRefused) {
  const EveryKind kinds;
  const CDatabase database = c_database();
  hdb_table* const things = kinds.create(database);
  const auto refused = [&](std::size_t at, int value) {
    Bytes row = full_row();
    row[at] = static_cast<std::byte>(value);
    return insert(things, row);
  };
  EXPECT_EQ(refused(0, 2), hdb_status{HDB_E_invalid_value});     // a boolean
  EXPECT_EQ(refused(2, 0xff), hdb_status{HDB_E_invalid_value});  // not UTF-8
  EXPECT_EQ(refused(12, 2), hdb_status{HDB_E_invalid_value});    // an optional
  EXPECT_EQ(refused(15, 2), hdb_status{HDB_E_invalid_value});    // an alternative
  EXPECT_EQ(refused(24, 'a'), hdb_status{HDB_E_invalid_value});  // the same key twice
  EXPECT_EQ(refused(4, 0x7f), hdb_status{HDB_E_invalid_value});  // a longer list
  Bytes many = full_row();
  const std::byte count[] = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                             std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0x7f}};
  many.insert(many.erase(many.begin() + 9), std::begin(count), std::end(count));
  EXPECT_EQ(insert(things, many), hdb_status{HDB_E_invalid_value});
  const std::byte long_one[] = {std::byte{0x82}, std::byte{0}};  // not the shortest varint
  many = full_row();
  many.insert(many.erase(many.begin() + 9), std::begin(long_one), std::end(long_one));
  EXPECT_EQ(insert(things, many), hdb_status{HDB_E_invalid_value});
  EXPECT_EQ(hdb_count(things), 0U);
}

TEST(CCalls, OptionsOfANewerProgramAreRefusedUnlessTheyAreDefaults) {
  const EveryKind kinds;
  const CDatabase database = c_database();
  struct {
    hdb_table_options options;
    std::uint64_t later;
  } newer{};
  newer.options.struct_size = sizeof newer;
  newer.options.fields = kinds.fields.data();
  newer.options.field_count = kinds.fields.size();
  newer.later = 1;
  EXPECT_EQ(hdb_table_create(database.get(), "things", &newer.options, nullptr, nullptr),
            hdb_status{HDB_BAD_ARGUMENT});
  newer.later = 0;
  EXPECT_EQ(hdb_table_create(database.get(), "things", &newer.options, nullptr, nullptr),
            hdb_status{HDB_OK});
  // A program of an earlier version knows fewer members, and gets no more of them.
  hdb_info info{};
  info.struct_size = offsetof(hdb_info, state_hash);
  info.sequence = 77;
  const Folder folder;
  const std::string path = folder / "save.hdb";
  ASSERT_EQ(hdb_save(c_capture(database).get(), path.c_str(), nullptr, nullptr),
            hdb_status{HDB_OK});
  ASSERT_EQ(hdb_read_info(path.c_str(), &info, nullptr), hdb_status{HDB_OK});
  EXPECT_NE(info.file_bytes, 0U);
  EXPECT_EQ(info.sequence, 77U);
  EXPECT_EQ(info.title, nullptr);
}

// The message of a call that refuses an argument.
std::string refusal(hdb_status status, hdb_error* error) {
  std::string message(hdb_error_message(error));
  EXPECT_EQ(status, hdb_status{HDB_BAD_ARGUMENT}) << message;
  hdb_error_free(error);
  return message;
}

TEST(CCalls, AnArgumentThatIsRefusedIsNamedWithItsValueAndItsRange) {
  const CDatabase database = c_database();
  const CSnapshot snapshot = c_capture(database);
  hdb_error* error = nullptr;
  const auto save = [&](const hdb_save_options& options) {
    const hdb_status status = hdb_save(snapshot.get(), "unused", &options, &error);
    return refusal(status, error);
  };
  hdb_save_options options{};
  EXPECT_EQ(save(options), "usage: 'struct_size' is 0, but must be the size of the structure: " +
                               std::to_string(sizeof options) +
                               " in this version of hdb (hdb_save_options)");
  options.struct_size = sizeof options;
  options.level = 20;
  EXPECT_EQ(save(options), "usage: 'level' is 20, but may be from 0 to 19 (hdb_save_options)");
  options.level = 0;
  options.backups = 10001;
  EXPECT_EQ(save(options),
            "usage: 'backups' is 10001, but may be from 0 to 10000 (hdb_save_options)");
  hdb_load_options loading{};
  loading.struct_size = sizeof loading;
  loading.verify = 2;
  hdb_status status = hdb_load(database.get(), "unused", &loading, nullptr, &error);
  EXPECT_EQ(refusal(status, error), "usage: 'verify' is 2, but may be 0 or 1 (hdb_load_options)");
  status = hdb_restore(database.get(), snapshot.get(), 2, &error);
  EXPECT_EQ(refusal(status, error), "usage: 'fork' is 2, but may be 0 or 1");
  status = hdb_restore(database.get(), nullptr, 0, &error);
  EXPECT_EQ(refusal(status, error), "usage: 'snapshot' is null");
  EXPECT_EQ(std::string(hdb_status_next_step(HDB_BAD_ARGUMENT)),
            "correct the argument that the message names");
}

TEST(CCalls, AFieldThatIsRefusedIsNamedByItsPlace) {
  const CDatabase database = c_database();
  hdb_field inner[] = {field_of("x", HDB_F32), field_of(nullptr, HDB_F32)};
  hdb_field fields[] = {field_of("hp", HDB_I32), field_of("pos", HDB_STRUCT, inner, 2)};
  hdb_table_options options{};
  options.struct_size = sizeof options;
  options.fields = fields;
  options.field_count = 2;
  const auto message = [&](const char* name = "monsters") {
    hdb_error* error = nullptr;
    EXPECT_NE(hdb_table_create(database.get(), name, &options, nullptr, &error), 0U);
    std::string text(hdb_error_message(error));
    hdb_error_free(error);
    return text;
  };
  EXPECT_EQ(message(), "usage: the name is empty (fields[1].children[1] of table 'monsters')");
  inner[1].name = "y";
  inner[1].kind = 25;
  EXPECT_EQ(message(),
            "usage: 'kind' is 25, but may be from 1 to 24 (fields[1].children[1] of "
            "table 'monsters')");
  inner[1].kind = HDB_F32;
  inner[1].struct_size = 8;
  EXPECT_EQ(message(), "usage: 'struct_size' is 8, but that of the first field beside it is " +
                           std::to_string(sizeof(hdb_field)) +
                           " (fields[1].children[1] of table 'monsters')");
  fields[1].children = nullptr;
  EXPECT_EQ(message(), "usage: 'fields[1].children' is null, but its size is 2 (table 'monsters')");
  fields[1].child_count = 0;
  fields[0].name = "";
  EXPECT_EQ(message(), "usage: the name is empty (fields[0] of table 'monsters')");
  EXPECT_EQ(message(""), "usage: 'name' is empty, but a table needs a name");
  hdb_field integer = field_of(nullptr, HDB_I8);
  fields[0] = field_of("mood", HDB_ENUM, &integer, 1);
  const char* const names[] = {"calm", "angry"};
  std::uint64_t numbers[] = {~std::uint64_t{0}, 300};  // -1, and one that an i8 does not have
  fields[0].value_names = names;
  fields[0].value_numbers = numbers;
  fields[0].value_count = 2;
  options.field_count = 1;
  EXPECT_EQ(message(),
            "usage: 'value_numbers[1]' is 300, which has more than the 8 bits of the integer "
            "(fields[0] of table 'monsters')");
  numbers[1] = 0xfe;  // -2
  hdb_error* error = nullptr;
  EXPECT_EQ(hdb_table_create(database.get(), "monsters", &options, nullptr, &error), 0U);
}

TEST(CCalls, ADroppedTableIsNotUsedUntilARestoreBringsItBack) {
  const EveryKind kinds;
  const CDatabase database = c_database();
  hdb_table* const things = kinds.create(database);
  hdb_handle handle = 0;
  ASSERT_EQ(insert(things, full_row(), &handle), hdb_status{HDB_OK});
  const CSnapshot before = c_capture(database);
  ASSERT_EQ(hdb_table_drop(database.get(), "things", nullptr), hdb_status{HDB_OK});
  EXPECT_EQ(insert(things, full_row()), hdb_status{HDB_E_not_found});
  EXPECT_EQ(hdb_find(things, handle, nullptr), nullptr);
  EXPECT_EQ(hdb_table_find(database.get(), "things"), nullptr);
  ASSERT_EQ(hdb_restore(database.get(), before.get(), 0, nullptr), hdb_status{HDB_OK});
  EXPECT_EQ(hdb_table_find(database.get(), "things"), things);
  EXPECT_EQ(c_record(things, handle), full_row());
  // Another table of the name is another object.
  ASSERT_EQ(hdb_table_drop(database.get(), "things", nullptr), hdb_status{HDB_OK});
  hdb_table* const again = kinds.create(database);
  EXPECT_NE(again, things);
  EXPECT_EQ(hdb_count(things), 0U);
  EXPECT_EQ(hdb_find(again, handle, nullptr), nullptr);  // still stale
}

/// A field of handles of "weapons" in this layout.
hdb_field target_of(hdb_layout layout, const char* table = "weapons") {
  hdb_field field = field_of("target", HDB_HANDLE);
  field.table = table;
  field.layout = layout;
  return field;
}
hdb_status create(const CDatabase& database, const char* name, const hdb_field& field,
                  hdb_layout layout = {}, hdb_table* owner = nullptr,
                  std::string* message = nullptr) {
  hdb_table_options options{};
  options.struct_size = sizeof options;
  options.fields = &field;
  options.field_count = 1;
  options.layout = layout;
  options.owner = owner;
  hdb_error* error = nullptr;
  const hdb_status status = hdb_table_create(database.get(), name, &options, nullptr, &error);
  if (message != nullptr) *message = hdb_error_message(error);
  hdb_error_free(error);
  return status;
}

constexpr hdb_layout kShort{16, 16, 0};

// Else no load can tell what the handles mean: every save would be lost.
TEST(CCalls, AFieldWhoseHandlesAreNotThoseOfItsTableIsRefused) {  // TL4
  const hdb_field number = field_of("hp", HDB_U32);
  const hdb_field target = target_of(kShort);
  hdb_field element = target;
  element.name = nullptr;
  const hdb_field in_list = field_of("targets", HDB_LIST, &element, 1);
  const hdb_field pair[] = {element, field_of(nullptr, HDB_U8)};
  const hdb_field in_map = field_of("grudges", HDB_MAP, pair, 2);
  std::string message;
  for (const hdb_field& field : {target, in_list, in_map}) {
    for (const bool named_first : {true, false}) {
      const CDatabase database = c_database();
      if (named_first) {
        ASSERT_EQ(create(database, "weapons", number), hdb_status{HDB_OK});
        EXPECT_EQ(create(database, "monsters", field, {}, nullptr, &message),
                  hdb_status{HDB_E_bad_options});
        EXPECT_EQ(hdb_table_find(database.get(), "monsters"), nullptr);
      } else {
        ASSERT_EQ(create(database, "monsters", field), hdb_status{HDB_OK});
        EXPECT_EQ(create(database, "weapons", number, {}, nullptr, &message),
                  hdb_status{HDB_E_bad_options});
        EXPECT_EQ(hdb_table_find(database.get(), "weapons"), nullptr);
        EXPECT_EQ(create(database, "weapons", number, kShort), hdb_status{HDB_OK});
      }
      EXPECT_NE(message.find("are <16,16>, but those of table 'weapons' are <32,31>"),
                std::string::npos)
          << message;
      EXPECT_NE(message.find("give the field the layout of the table"), std::string::npos);
      c_load(database, c_saved(database));
    }
  }
  const CDatabase database = c_database();
  EXPECT_EQ(create(database, "weapons", target), hdb_status{HDB_E_bad_options}) << "of itself";
  EXPECT_EQ(create(database, "weapons", target, kShort), hdb_status{HDB_OK});
  hdb_table* const weapons = hdb_table_find(database.get(), "weapons");
  EXPECT_EQ(create(database, "runes", target_of({}, "runes"), {}, weapons),
            hdb_status{HDB_E_bad_options})
      << "components have the handles of their owner";
  EXPECT_EQ(create(database, "runes", target_of(kShort, "runes"), {}, weapons), hdb_status{HDB_OK});
  EXPECT_EQ(create(database, "kings", target_of({}, "nobody")), hdb_status{HDB_OK});
  c_load(database, c_saved(database));
}

TEST(CCalls, NeitherDroppingNorRestoringBringsTwoLayoutsTogether) {  // TL4
  const hdb_field number = field_of("hp", HDB_U32);
  const CDatabase database = c_database();
  ASSERT_EQ(create(database, "weapons", number), hdb_status{HDB_OK});
  ASSERT_EQ(create(database, "monsters", target_of({})), hdb_status{HDB_OK});
  ASSERT_EQ(hdb_table_drop(database.get(), "weapons", nullptr), hdb_status{HDB_OK});
  const CSnapshot alone = c_capture(database);
  EXPECT_EQ(create(database, "weapons", number, kShort), hdb_status{HDB_E_bad_options});
  ASSERT_EQ(hdb_table_drop(database.get(), "monsters", nullptr), hdb_status{HDB_OK});
  ASSERT_EQ(create(database, "weapons", number, kShort), hdb_status{HDB_OK});
  hdb_error* error = nullptr;
  EXPECT_EQ(hdb_restore(database.get(), alone.get(), 0, &error),
            hdb_status{HDB_E_foreign_snapshot});
  EXPECT_NE(std::string(hdb_error_message(error)).find("drop the table"), std::string::npos);
  hdb_error_free(error);
  EXPECT_EQ(hdb_table_find(database.get(), "monsters"), nullptr);
  ASSERT_EQ(hdb_table_drop(database.get(), "weapons", nullptr), hdb_status{HDB_OK});
  EXPECT_EQ(hdb_restore(database.get(), alone.get(), 0, nullptr), hdb_status{HDB_OK});
  c_load(database, c_saved(database));
}

// Such a save was written before they were refused: a program with equal layouts loads it.
TEST(CCalls, ASaveOfTwoLayoutsLoadsWhereTheyAreEqual) {
  const std::string file = in_sources("fixtures/regress/handles_of_another_layout.hdb");
  const hdb_field number = field_of("hp", HDB_U32);
  const CDatabase database = c_database();
  ASSERT_EQ(create(database, "weapons", number), hdb_status{HDB_OK});
  ASSERT_EQ(create(database, "monsters", target_of({})), hdb_status{HDB_OK});
  hdb_error* error = nullptr;
  need(hdb_load(database.get(), file.c_str(), nullptr, nullptr, &error), error);
  hdb_table* const monsters = hdb_table_find(database.get(), "monsters");
  const Bytes row = c_record(monsters, hdb_handle_at(monsters, 0));
  const unsigned char expected[] = {7, 0, 0, 0, 1, 0, 0, 0};  // 7@1
  ASSERT_EQ(row.size(), sizeof expected);
  EXPECT_TRUE(std::equal(row.begin(), row.end(), reinterpret_cast<const std::byte*>(expected)));
  const Validation found =
      validate(FileSource::open(file).value(), {.level = ValidationLevel::deep});
  EXPECT_TRUE(found.is_valid());
  ASSERT_EQ(found.references.size(), 1U);
  EXPECT_EQ(found.references[0].foreign, 1U);
  EXPECT_EQ(found.references[0].conflict,
            "the handles of field 'target' are <16,16>, but those of table 'weapons' are <32,31>, "
            "so they name no record");
}

TEST(CCalls, ThreadsSaveSnapshotsWhileTheGameGoesOn) {
  const EveryKind kinds;
  const CDatabase database = c_database();
  hdb_table* const things = kinds.create(database);
  std::vector<hdb_handle> handles(500);
  for (hdb_handle& handle : handles)
    ASSERT_EQ(insert(things, full_row(), &handle), hdb_status{HDB_OK});
  for (int round = 0; round < 5; ++round) {
    CSnapshot snapshot = c_capture(database);
    hdb_hash expected{};
    std::thread saver([&] {
      void* bytes = nullptr;
      std::size_t size = 0;
      hdb_error* error = nullptr;
      need(hdb_snapshot_hash(snapshot.get(), &expected, &error), error);
      need(hdb_save_bytes(snapshot.get(), nullptr, &bytes, &size, &error), error);
      hdb_free(bytes);
      snapshot.reset();
    });
    for (const hdb_handle handle : handles) {
      Bytes row = full_row();
      row[0] = static_cast<std::byte>(round % 2);
      ASSERT_EQ(hdb_replace(things, handle, row.data(), row.size(), nullptr), hdb_status{HDB_OK});
    }
    saver.join();
    EXPECT_NE(expected.low, 0U);
  }
}

}  // namespace
}  // namespace hdb::test::c_calls_test
