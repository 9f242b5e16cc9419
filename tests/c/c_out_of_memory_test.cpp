// Every allocation of a call of hdb/c.h fails once: the status says so, nothing has changed, and
// calling again works.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "c/c_objects.hpp"
#include "support/allocation_watch.hpp"

namespace hdb::test::c_out_of_memory_test {
namespace {

hdb_field field_of(const char* name, hdb_kind kind) {
  hdb_field field{};
  field.struct_size = sizeof field;
  field.name = name;
  field.kind = kind;
  return field;
}
const hdb_field kNumber = field_of("a number with a long name", HDB_U32);
const hdb_field kText = field_of("text", HDB_STRING);

hdb_table_options options_of(const hdb_field& field, std::size_t record_size) {
  hdb_table_options options{};
  options.struct_size = sizeof options;
  options.fields = &field;
  options.field_count = 1;
  options.record_size = record_size;
  options.names = HDB_EXACT_NAMES;
  return options;
}

hdb_table_options blob_options() {
  hdb_table_options options = options_of(kText, 0);
  options.blob_capacity = 4096;
  return options;
}

hdb_table_options shared_options() {
  hdb_table_options options = options_of(kNumber, 4);
  options.is_resource = 1;
  return options;
}

// A row with a text of 40 characters.
const std::string& row() {
  static const std::string row = '\x28' + std::string(40, 'x');
  return row;
}

struct World {
  CDatabase database = c_database();
  hdb_table* numbers = c_create(database, "numbers", options_of(kNumber, 4));
  hdb_table* texts = c_create(database, "texts", options_of(kText, 0));
  hdb_table* blobs = c_create(database, "blobs", blob_options());
  hdb_table* shared = c_create(database, "shared", shared_options());
  hdb_handle number = 0;
  hdb_handle text = 0;
  hdb_handle held = 0;
  CSnapshot before;
  CSnapshot now;  // shares all pages, so that the next write copies
  Bytes file;

  World() {
    hdb_error* error = nullptr;
    const std::uint32_t seven = 7;
    need(hdb_insert_named(numbers, "seven", 5, &seven, 4, &number, &error), error);
    need(hdb_insert(texts, row().data(), row().size(), &text, &error), error);
    need(hdb_insert(shared, &seven, 4, &held, &error), error);
    file = c_saved(database);
    before = c_capture(database);
    need(hdb_erase(texts, text, &error), error);
    need(hdb_insert(texts, row().data(), row().size(), &text, &error), error);
    now = c_capture(database);
  }
};

struct Call {
  const char* name;
  std::function<hdb_status(World&, hdb_error**)> run;
  bool changes = false;  ///< The state is another one after success.
};

class COutOfMemory : public testing::TestWithParam<Call> {};

TEST_P(COutOfMemory, IsAStatusAndChangesNothing) {
  const Call& call = GetParam();
  std::size_t failures = 0;
  for (std::size_t n = 1;; ++n) {
    ASSERT_LT(n, 100000U);
    World world;
    const Hash128 before = c_state_hash(world.database);
    hdb_error* error = nullptr;
    fail_allocation(n);
    const hdb_status status = call.run(world, &error);
    const bool is_done = allocation_is_to_fail();
    fail_allocation(0);
    if (status == HDB_OK) {
      ASSERT_EQ(error, nullptr);
      if (is_done) break;
      continue;  // what failed was not needed
    }
    ++failures;
    ASSERT_EQ(status, hdb_status{HDB_OUT_OF_MEMORY}) << hdb_error_message(error);
    ASSERT_EQ(hdb_error_status(error), status);
    ASSERT_STRNE(hdb_error_message(error), "");
    hdb_error_free(error);
    ASSERT_EQ(c_state_hash(world.database), before) << "allocation " << n;
    error = nullptr;
    ASSERT_EQ(call.run(world, &error), hdb_status{HDB_OK}) << hdb_error_message(error);
    if (call.changes) {
      ASSERT_NE(c_state_hash(world.database), before);
    }
  }
  EXPECT_GT(failures, 0U);
}

void PrintTo(const Call& call, std::ostream* out) { *out << call.name; }

INSTANTIATE_TEST_SUITE_P(
    Calls, COutOfMemory,
    testing::Values(Call{"database_create",
                         [](World&, hdb_error** error) {
                           hdb_database* made = nullptr;
                           const hdb_status status = hdb_database_create(&made, error);
                           hdb_database_free(made);
                           return status;
                         }},
                    Call{"table_create",
                         [](World& world, hdb_error** error) {
                           const auto options = options_of(kText, 0);
                           return hdb_table_create(world.database.get(), "more", &options, nullptr,
                                                   error);
                         },
                         true},
                    Call{"insert",
                         [](World& world, hdb_error** error) {
                           return hdb_insert_named(world.texts, "a name which needs allocations",
                                                   30, row().data(), row().size(), nullptr, error);
                         },
                         true},
                    Call{"replace",
                         [](World& world, hdb_error** error) {
                           return hdb_replace(world.texts, world.text, "\1y", 2, error);
                         },
                         true},
                    Call{"erase",
                         [](World& world, hdb_error** error) {
                           return hdb_erase(world.numbers, world.number, error);
                         },
                         true},
                    Call{"set_json",
                         [](World& world, hdb_error** error) {
                           return hdb_set_json(world.texts, world.text, "",
                                               R"({"text": "a text that is not short"})", error);
                         },
                         true},
                    Call{"insert_json",
                         [](World& world, hdb_error** error) {
                           return hdb_insert_json(world.texts, nullptr, 0, nullptr, nullptr, error);
                         },
                         true},
                    Call{"capture",
                         [](World& world, hdb_error** error) {
                           hdb_snapshot* snapshot = nullptr;
                           const hdb_status status =
                               hdb_capture(world.database.get(), &snapshot, error);
                           hdb_snapshot_free(snapshot);
                           return status;
                         }},
                    Call{"restore",
                         [](World& world, hdb_error** error) {
                           return hdb_restore(world.database.get(), world.before.get(), 0, error);
                         },
                         true},
                    Call{"save_bytes",
                         [](World& world, hdb_error** error) {
                           void* bytes = nullptr;
                           std::size_t size = 0;
                           const hdb_status status =
                               hdb_save_bytes(world.before.get(), nullptr, &bytes, &size, error);
                           hdb_free(bytes);
                           return status;
                         }},
                    Call{"load",
                         [](World& world, hdb_error** error) {
                           char* summary = nullptr;
                           const hdb_status status =
                               hdb_load_bytes(world.database.get(), world.file.data(),
                                              world.file.size(), nullptr, &summary, error);
                           hdb_free(summary);
                           return status;
                         },
                         true},
                    Call{"blob_insert",
                         [](World& world, hdb_error** error) {
                           return hdb_blob_insert(world.blobs, "a name which needs allocations", 30,
                                                  row().data(), row().size(), "bytes", 5, nullptr,
                                                  error);
                         },
                         true},
                    Call{"reference_add",
                         [](World& world, hdb_error** error) {
                           return hdb_reference_add(world.shared, world.held, error);
                         }},
                    Call{"flush",
                         [](World& world, hdb_error** error) {
                           return hdb_flush(world.shared, nullptr, nullptr, error);
                         },
                         true},
                    Call{"import",
                         [](World& world, hdb_error** error) {
                           hdb_import* report = nullptr;
                           hdb_import_options options{};
                           options.struct_size = sizeof options;
                           options.name_clash = HDB_DROP_NAME;
                           const hdb_status status =
                               hdb_import_bytes(world.database.get(), world.file.data(),
                                                world.file.size(), &options, &report, error);
                           hdb_import_free(report);
                           return status;
                         },
                         true},
                    Call{"changes",
                         [](World& world, hdb_error** error) {
                           hdb_changes* changes = nullptr;
                           const hdb_status status = hdb_changes_between(
                               world.before.get(), world.now.get(), &changes, error);
                           hdb_changes_free(changes);
                           return status;
                         }},
                    Call{"history",
                         [](World& world, hdb_error** error) {
                           hdb_history* history = nullptr;
                           hdb_status status =
                               hdb_history_create(world.database.get(), nullptr, &history, error);
                           if (status == HDB_OK) status = hdb_history_record(history, 1, error);
                           hdb_history_free(history);
                           return status;
                         }},
                    Call{"column",
                         [](World& world, hdb_error** error) {
                           std::uint32_t number = 0;
                           return hdb_read_column(world.numbers, "a number with a long name",
                                                  HDB_U32, &number, 1, error);
                         }},
                    Call{"diff",
                         [](World& world, hdb_error** error) {
                           const CSnapshot& a = world.before;
                           char* text = nullptr;
                           const hdb_status status =
                               hdb_diff_snapshots(a.get(), a.get(), 9, nullptr, &text, error);
                           hdb_free(text);
                           return status;
                         }}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace hdb::test::c_out_of_memory_test
