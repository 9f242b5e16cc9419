// hdb/fwd.hpp: it comes first, so what is named with it alone must be what hdb/hdb.hpp and
// hdb/file_system.hpp define.
#include "hdb/fwd.hpp"
#include "hdb/bound_handle.hpp"

namespace hdb::test::fwd_test {

struct Unit;
struct Part;
template <class... T>
struct Types;

using Named =
    Types<Layout<16, 16>, DefaultLayout, HandleCheck, Handle<Unit>, Strong<Unit>, Ref<Unit>,
          Table<Unit>, ComponentTable<Part, Unit>, BlobTable<Unit>, ResourceTable<Unit>,
          Singleton<Unit>, Sidecar<Part, Table<Unit>>, BoundHandle<Table<Unit>>,
          TableBinding<Table<Unit>>, Scope, TableOptions, ComponentOptions, BlobOptions, Database,
          PageSource, Snapshot, History, DatabaseOptions, HistoryOptions, RestoreOptions, Changes,
          TableChanges, TimelineMode, Autosaver, SaveDirectory, SaveTarget, Saving, ChunkCache,
          FileSystem, ByteSink, ByteSource, DynamicValue, MigrationContext, AutosaverOptions,
          SaveDirectoryOptions, SaveEntry, LoadedSave, SaveOptions, SaveReport, LoadOptions,
          LoadReport, TableLoadReport, ImportOptions, ImportReport, Migration, Metadata, FileInfo,
          Progress, Hash128, Error, ErrorCode>;

// What a header of a game declares.
struct Scene {
  Table<Unit>* units = nullptr;
  ComponentTable<Part, Unit>* parts = nullptr;
  Handle<Unit> find(const Database& database) const;
};

}  // namespace hdb::test::fwd_test

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "hdb/autosaver.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/changes.hpp"
#include "hdb/chunk_cache.hpp"
#include "hdb/component_table.hpp"
#include "hdb/file_system.hpp"
#include "hdb/hdb.hpp"
#include "hdb/history.hpp"
#include "hdb/import.hpp"
#include "hdb/migration.hpp"
#include "hdb/page_source.hpp"
#include "hdb/resource_table.hpp"
#include "hdb/save_directory.hpp"
#include "hdb/sidecar.hpp"

namespace hdb::test::fwd_test {

struct Unit {
  std::string name;
};
struct Part {
  int value = 0;
};

template <class T>
struct SizeOfAll;
template <class... T>
struct SizeOfAll<Types<T...>> {
  static constexpr std::size_t value = (sizeof(T) + ...);  // no type is incomplete
};

Handle<Unit> Scene::find(const Database& database) const {
  return database.table_names().empty() ? Handle<Unit>() : units->begin().handle();
}

static_assert(HandleCheck{} == HandleCheck::checked);
static_assert(
    std::is_same_v<Table<Unit>, Table<Unit, Layout<32, 31, 0>, Unit, HandleCheck::checked>>);

TEST(ForwardDeclarations, AreOfTheTypesThatTheOtherHeadersDefine) {
  EXPECT_GT(SizeOfAll<Named>::value, 0u);
  Database database;
  Scene scene;
  EXPECT_TRUE(scene.find(database).is_null());
  scene.units = &database.create_table<Unit>("units");
  scene.parts = &database.create_component_table<Part>("parts", *scene.units);
  const Handle<Unit> unit = scene.units->insert({"imp"});
  scene.parts->insert(unit, {1});
  EXPECT_EQ(scene.find(database), unit);
}

}  // namespace hdb::test::fwd_test
