// EvolvedImage: what passes through, and what it takes for the rest.
#include "evolve/evolved_image.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::evolve {
namespace {

using hdb::detail::evolve::EvolvedImage;

std::optional<HandleLayout> same_layouts(const std::string&) { return std::nullopt; }

// Many tables of one schema, and units with names.
struct World {
  Database db;
  std::unique_ptr<ImageSource> image;

  World() {
    db.register_family<Clock, TypedLayout>("clock_");
    for (int i = 0; i < 20; ++i)
      db.create_table<Clock, TypedLayout>("clock_" + std::to_string(i)).insert({});
    auto& units = db.create_table<Unit>("units", {.names = RecordNames::exact});
    for (int i = 0; i < 100; ++i) units.insert_named(std::to_string(i), {.hp = i});
    for (std::uint64_t i = 0; i < 40; ++i) units.erase(units.handle_at(i));
    image = db.capture().image({});
  }
};

TEST(EvolvedImage, TablesThatDifferInNothingPassThrough) {
  const World world;
  EvolvedImage evolved(*world.image);
  for (std::size_t i = 0; i < evolved.tables().size(); ++i)
    ASSERT_TRUE(evolved.evolve(i, evolved.tables()[i].policy, same_layouts));
  EXPECT_EQ(&evolved.schemas(), &world.image->schemas()) << "no schema is copied";
  EXPECT_EQ(evolved.tables(), world.image->tables());
  for (std::size_t i = 0; i < evolved.tables().size(); ++i) {
    RowGroup before;
    RowGroup now;
    ASSERT_TRUE(world.image->read_group(i, 0, true, before) && evolved.read_group(i, 0, true, now));
    EXPECT_EQ(now.columns, before.columns);
    EXPECT_EQ(now.record_hash, before.record_hash);
    EXPECT_TRUE(evolved.changes(i).empty());
  }
}

TEST(EvolvedImage, OnlyAChangedTableGetsASchemaOfItsOwn) {
  const World world;
  EvolvedImage evolved(*world.image);
  const std::size_t units = evolved.tables().size() - 1;
  ASSERT_EQ(evolved.tables()[units].name, "units");
  TablePolicy own = evolved.tables()[units].policy;
  own.names = RecordNames::none;
  own.layout = Layout<16, 16>::value;
  own.storage = Storage::stable;
  ASSERT_TRUE(evolved.evolve(units, own, [&](const std::string& table) {
    return table == "units" ? std::optional(own.layout) : std::nullopt;
  }));
  evolved.resolve({{"units", DefaultLayout::value, 0, 0}});
  EXPECT_EQ(evolved.schemas().size(), world.image->schemas().size() + 1);
  EXPECT_EQ(evolved.tables()[0].schema, world.image->tables()[0].schema);
  const TableDescriptor& table = evolved.tables()[units];
  EXPECT_EQ(table.policy, own);
  EXPECT_EQ(table.free_count, 40U);
  RowGroup rows;
  ASSERT_TRUE(evolved.read_group(units, 0, true, rows));
  EXPECT_EQ(rows.columns.size(), columns_of(evolved.schemas()[table.schema]).size());
  EXPECT_EQ(rows.record_hash, group_record_hash(evolved.schemas()[table.schema], rows).value());
  EXPECT_TRUE(rows.positions.empty());
  const auto changes = evolved.changes(units);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(to_text(changes[0]), "@name dropped (x60)");
  EXPECT_EQ(to_text(changes[1]), "target converted from handle<32,31> to handle<16,16> (x60)");
}

}  // namespace
}  // namespace hdb::test::evolve
