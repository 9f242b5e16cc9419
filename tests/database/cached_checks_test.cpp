// What a save through a ChunkCache checks, although it reads nothing of unchanged groups.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "hdb/chunk_cache.hpp"
#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/image.hpp"
#include "support/records.hpp"

namespace hdb::test::cached_checks_test {
namespace {

// Claims other slots than its database has, with an identity of their own; counts what is read.
class EditedImage final : public ImageSource {
 public:
  using Edit = std::function<void(RowGroup&)>;
  explicit EditedImage(const Snapshot& snapshot)
      : tables_(snapshot.image({})->tables()), inner_(snapshot.image({})) {}
  void edit(std::size_t table, Edit edit) { edits_[table] = std::move(edit); }

  const Metadata& metadata() const override { return inner_->metadata(); }
  const Bytes& thumbnail() const override { return inner_->thumbnail(); }
  const std::vector<Field>& schemas() const override { return inner_->schemas(); }
  const std::vector<TableDescriptor>& tables() const override { return tables_; }
  Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                    RowGroup& out) const override {
    ++reads;
    auto read = inner_->read_group(table, group, with_hash, out);
    if (is_edited(table, group)) edits_.at(table)(out);
    return read;
  }
  bool group_identity(std::size_t table, std::uint64_t group, std::span<const std::uint64_t> last,
                      std::vector<std::uint64_t>& out) const override {
    const bool edited = is_edited(table, group);
    if (!last.empty() && last.back() == kEdited) last = last.first(last.size() - 1);
    if (!inner_->group_identity(table, group, last, out)) return false;
    if (edited) out.push_back(kEdited);
    return true;
  }
  Status read_free_list(std::size_t table, std::uint64_t first,
                        std::span<std::uint32_t> out) const override {
    auto read = inner_->read_free_list(table, first, out);
    if (swap_free && !out.empty()) out[0] = 0;
    return read;
  }
  ErrorCode write_through(ChunkCache& cache, const ReadLimits& limits = {}) {
    MemorySink sink;
    WriteOptions options;
    options.cache = &cache;
    options.limits = limits;
    reads = 0;
    const auto written = write_image(*this, sink, options);
    return written ? ErrorCode{} : written.error().code;
  }

  std::vector<TableDescriptor> tables_;
  mutable int reads = 0;
  bool swap_free = false;

 private:
  static constexpr std::uint64_t kEdited = ~std::uint64_t{0};  // at the end of an identity
  // Edits are of group 0.
  [[nodiscard]] bool is_edited(std::size_t table, std::uint64_t group) const {
    return group == 0 && edits_.contains(table);
  }
  std::unique_ptr<ImageSource> inner_;
  std::map<std::size_t, Edit> edits_;
};

TEST(CachedChecks, DoesNotSpareAnyCheck) {  // F17
  Database db;
  auto& table = db.create_table<Unit>("units");
  std::vector<Handle<Unit>> handles;
  for (int i = 0; i < 100; ++i) handles.push_back(table.insert({.hp = i}));
  table.erase(handles[50]);
  table.erase(handles[51]);
  ChunkCache cache;
  const Snapshot snapshot = db.capture();
  EditedImage image(snapshot);
  EXPECT_EQ(image.write_through(cache), ErrorCode{});
  image.swap_free = true;
  EXPECT_EQ(image.write_through(cache), ErrorCode::bad_free_list);
  image.swap_free = false;
  EXPECT_EQ(image.write_through(cache), ErrorCode{});
  ReadLimits limits;
  limits.max_column_bytes = 100;
  EXPECT_EQ(image.write_through(cache, limits), ErrorCode::limit_exceeded);
  limits = {};
  limits.max_memory_bytes = 1000;
  EXPECT_EQ(image.write_through(cache, limits), ErrorCode::memory_budget);
  image.tables_[0].live_count -= 1;
  image.tables_[0].retired_count += 1;
  EXPECT_EQ(image.write_through(cache), ErrorCode::bad_slots);
}

// Several groups; slot 7 has the generation 2, slot 5 and another far away are free.
struct ManyGroups {
  Database db;
  Table<Unit>& units = db.create_table<Unit>("units");
  std::vector<Handle<Unit>> handles;
  ManyGroups() {
    for (int i = 0; i < 40'000; ++i) handles.push_back(units.insert({.hp = i}));
    units.erase(handles[7]);
    handles[7] = units.insert({.hp = 7});
    units.erase(handles[5]);
    units.erase(handles[30'000]);
  }
};

TEST(CachedChecks, ReadsNothingOfUnchangedGroupsOfTablesThatStaySound) {  // F17
  ManyGroups world;
  ChunkCache cache;
  EditedImage image(world.db.capture());
  ASSERT_GE(image.tables()[0].group_count(), 2U);
  EXPECT_EQ(image.write_through(cache), ErrorCode{});
  EXPECT_GE(image.reads, 2);
  EXPECT_EQ(image.write_through(cache), ErrorCode{});
  EXPECT_EQ(image.reads, 0);
}

TEST(CachedChecks, ChecksTheWholeTableAlsoWhereGroupsDidNotChange) {  // F17
  ManyGroups world;
  const Snapshot snapshot = world.db.capture();
  ChunkCache cache;
  EditedImage sound(snapshot);
  EXPECT_EQ(sound.write_through(cache), ErrorCode{});
  EditedImage swapped(snapshot);
  swapped.swap_free = true;  // lists slot 0, which is live
  EXPECT_EQ(swapped.write_through(cache), ErrorCode::bad_free_list);
  EditedImage twice(snapshot);
  twice.edit(0, [](RowGroup& group) { group.positions[0] = 39'000; });
  EXPECT_EQ(twice.write_through(cache), ErrorCode::bad_dense_order);
  EditedImage other_free(snapshot);
  other_free.edit(0, [](RowGroup& group) { std::swap(group.states[5], group.states[6]); });
  EXPECT_EQ(other_free.write_through(cache), ErrorCode::bad_free_list);
  EXPECT_EQ(sound.write_through(cache), ErrorCode{});
}

struct Armor {
  std::uint32_t points = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(points));
  }
};

TEST(CachedChecks, ComparesChangedOwnersWithComponentsThatDidNotChange) {  // F17
  ManyGroups world;
  auto& armor = world.db.create_component_table<Armor>("armor", world.units);
  for (const auto unit : world.handles) {
    if (world.units.contains(unit)) armor.insert(unit, {});
  }
  ASSERT_EQ(world.units.insert({}).generation(), 2u);  // so that the table has had a second one
  const Snapshot snapshot = world.db.capture();
  ChunkCache cache;
  EditedImage sound(snapshot);
  EXPECT_EQ(sound.write_through(cache), ErrorCode{});
  EXPECT_EQ(sound.write_through(cache), ErrorCode{});
  EXPECT_EQ(sound.reads, 0);

  ASSERT_EQ(sound.tables()[1].name, "units");
  EditedImage other_owner(snapshot);
  other_owner.edit(1, [](RowGroup& group) { group.generations[9] = 2; });
  EXPECT_EQ(other_owner.write_through(cache), ErrorCode::bad_components);
  // What a write that failed left in the cache was not checked.
  EXPECT_EQ(other_owner.write_through(cache), ErrorCode::bad_components);
  EXPECT_EQ(sound.write_through(cache), ErrorCode{});

  EditedImage other_component(snapshot);
  other_component.edit(0, [](RowGroup& group) { group.generations[9] = 2; });
  EXPECT_EQ(other_component.write_through(cache), ErrorCode::bad_components);
  EXPECT_EQ(other_component.write_through(cache), ErrorCode::bad_components);
  EXPECT_EQ(sound.write_through(cache), ErrorCode{});
}

}  // namespace
}  // namespace hdb::test::cached_checks_test
