// compare_schemas says what a load does: each rule of tables beside the load of a real save.
#include "compat_outcome.hpp"
#include "hdb/any_handle.hpp"
#include "hdb/blob_table.hpp"

namespace hdb::test::compat_test {
namespace {

TEST(CompatOfTables, TablesMayBeRenamedIfDeclared) {
  const auto game = [](const std::string& weapons) {
    return [=](Database& db) {
      if (weapons == "arms") db.declare_table_rename({"weapons", "arms"});
      db.create_table<Without>(weapons);
      db.create_table<With<Handle<Without>>>("things").insert({});
    };
  };
  const auto declare = [](TableSchema& table) {
    if (table.table.name == "arms") table.old_names = {"weapons"};
  };
  expect(outcome(game("weapons"), game("arms"), declare), Compatibility::readable,
         {CompatRule::table_renamed}, "");
}

TEST(CompatOfTables, TwoTablesCannotBecomeOne) {
  const Fill old_game = [](Database& db) {
    db.create_table<Without>("things").emplace();
    db.create_table<Without, DefaultLayout, char>("weapons").emplace();
  };
  const Fill new_game = [](Database& db) {
    db.declare_table_rename({"weapons", "things"});
    db.create_table<Without>("things");
  };
  const Outcome got =
      outcome(old_game, new_game, [](TableSchema& table) { table.old_names = {"weapons"}; });
  EXPECT_EQ(got.report.verdict, Compatibility::incompatible);
  EXPECT_EQ(got.rules(), (std::vector{CompatRule::table_names_clash}));
  ASSERT_FALSE(got.loaded);
  EXPECT_EQ(got.loaded.error().code, got.report.findings.at(0).code);
  EXPECT_EQ(got.loaded.error().what, got.report.findings.at(0).what);
}

TEST(CompatOfTables, TablesMayBeAddedAndAreLostWhenRemoved) {
  const Fill one = table_of<Without>();
  const Fill two = [&](Database& db) {
    one(db);
    db.create_table<Foreign>("more");
  };
  expect(outcome(one, two), Compatibility::readable, {CompatRule::table_added}, "");
  expect(outcome(two, one), Compatibility::loss, {CompatRule::table_removed}, "");
}

TEST(CompatOfTables, ASaveOfAnotherGameIsIncompatible) {
  const Fill other = [](Database& db) { db.create_table<Without>("others"); };
  const Outcome got = outcome(table_of<Without>(), other);
  EXPECT_EQ(got.report.verdict, Compatibility::incompatible);
  ASSERT_EQ(got.report.findings.size(), 1U);
  EXPECT_EQ(got.report.findings[0].rule, CompatRule::no_common_table);
  EXPECT_EQ(got.report.findings[0].code, ErrorCode::unknown_table);
  ASSERT_FALSE(got.loaded);
  EXPECT_EQ(got.loaded.error().code, ErrorCode::unknown_table);
}

TEST(CompatOfTables, PoliciesMayChange) {
  const Fill plain = table_of<Without>();
  const auto check = [&](const TableOptions& options, CompatRule rule) {
    expect(outcome(plain, table_of<Without>({}, options)), Compatibility::readable, {rule}, "");
    expect(outcome(table_of<Without>({}, options), plain),
           rule == CompatRule::table_names ? Compatibility::loss : Compatibility::readable,
           {rule == CompatRule::table_names ? CompatRule::table_names_removed : rule}, "");
  };
  check({.storage = Storage::stable}, CompatRule::table_storage);
  check({.free_list = FreeList::fifo}, CompatRule::table_free_list);
  check({.generations = Generations::table_counter}, CompatRule::table_generations);
  check({.overflow = Overflow::wrap}, CompatRule::table_overflow);
  check({.names = RecordNames::exact}, CompatRule::table_names);
}

// Names that differ only in their case: a schema says that files may be refused, and why.
TEST(CompatOfTables, NamesThatMayBecomeEqualDependOnTheFile) {
  const auto names = [](RecordNames rule, bool has_twins) {
    return [=](Database& db) {
      auto& things = db.create_table<Without>("things", {.names = rule});
      if (!has_twins) return;
      things.insert_named("a", {});
      things.insert_named("A", {});
    };
  };
  const Outcome got =
      outcome(names(RecordNames::exact, true), names(RecordNames::ignore_case, false));
  EXPECT_EQ(got.report.verdict, Compatibility::incompatible);
  EXPECT_EQ(got.rules(), (std::vector{CompatRule::table_names_merged}));
  EXPECT_TRUE(got.report.tables[0].findings[0].depends_on_values);
  ASSERT_FALSE(got.loaded);
  EXPECT_EQ(got.loaded.error().code, got.report.tables[0].findings[0].code);
  EXPECT_TRUE(
      outcome(names(RecordNames::exact, false), names(RecordNames::ignore_case, false)).loaded);
}

template <class L>
struct Link {
  Handle<Without, L> to = {};
  std::vector<AnyHandle> any = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(to), CEREAL_NVP(any));
  }
};
template <class L>
Fill linked(int erases = 0, std::vector<AnyHandle> any = {}) {
  return [=](Database& db) {
    auto& things = db.create_table<Without, L>("things");
    for (int i = 0; i < erases; ++i) things.erase(things.insert({}));
    db.create_table<Link<L>>("links").insert({things.insert({}), any});
  };
}

TEST(CompatOfTables, LayoutsMayChangeIfTheHandlesFit) {
  using Small = Layout<16, 16>;
  const Outcome wider = outcome(linked<Small>(), linked<DefaultLayout>());
  EXPECT_EQ(wider.report.verdict, Compatibility::readable);
  EXPECT_EQ(wider.rules(), (std::vector{CompatRule::handle_translated, CompatRule::table_layout}));
  EXPECT_EQ(wider.report.tables[0].findings[0].field, "to");
  EXPECT_TRUE(wider.loaded);
  // A schema does not know the handles of the files; a file does.
  const Outcome unknown = outcome(linked<DefaultLayout>(), linked<Small>());
  EXPECT_EQ(unknown.report.verdict, Compatibility::incompatible);
  EXPECT_EQ(unknown.rules().back(), CompatRule::table_layout_narrowed);
  EXPECT_TRUE(unknown.report.tables[1].findings[0].depends_on_values);
  EXPECT_TRUE(unknown.loaded);
  const auto none = [](TableSchema&) {};
  EXPECT_EQ(outcome(linked<DefaultLayout>(), linked<Small>(), none, true).report.verdict,
            Compatibility::readable);
  const Outcome full = outcome(linked<DefaultLayout>(8), linked<Layout<10, 3>>(), none, true);
  EXPECT_EQ(full.report.verdict, Compatibility::incompatible);
  const CompatFinding& finding = full.report.tables[1].findings[0];
  EXPECT_EQ(finding.rule, CompatRule::table_layout_narrowed);
  EXPECT_FALSE(finding.depends_on_values);
  ASSERT_FALSE(full.loaded);
  EXPECT_EQ(full.loaded.error().code, finding.code);
  EXPECT_EQ(full.loaded.error().what, finding.what);
}

TEST(CompatOfTables, GenerationsThatAreUsedUpAreFoundInAFile) {
  const auto table = [](int records, Generations generations) {
    return [=](Database& db) {
      auto& things =
          db.create_table<Without, Layout<10, 2>>("things", {.generations = generations});
      for (int i = 0; i < records; ++i) things.erase(things.insert({}));
    };
  };
  const Outcome got = outcome(
      table(3, Generations::per_slot), table(0, Generations::table_counter), [](TableSchema&) {},
      true);
  EXPECT_EQ(got.rules(),
            (std::vector{CompatRule::table_generations, CompatRule::table_generations_used_up}));
  ASSERT_FALSE(got.loaded);
  EXPECT_EQ(got.loaded.error().what, got.report.tables[0].findings[1].what);
  EXPECT_TRUE(
      outcome(table(2, Generations::per_slot), table(0, Generations::table_counter)).loaded);
}

TEST(CompatOfTables, AnyHandlesMayNameOnlyTablesOfTheirLayout) {
  const AnyHandle thing = AnyHandle::from_bits(pack_handle(TypedLayout::value, 0, 1, 1));
  using Any = With<std::vector<AnyHandle>>;
  const auto game = [&]<class L>(L, std::vector<AnyHandle> any) -> Fill {
    return [=](Database& db) {
      db.create_table<Without, L>("things").insert({});
      db.create_table<Any>("links").insert({any});
    };
  };
  const auto none = [](TableSchema&) {};
  const auto pair = [&](std::vector<AnyHandle> any) {
    return outcome(game(TypedLayout(), any), game(DefaultLayout(), {}), none, true);
  };
  const Outcome bad = pair({thing});
  EXPECT_EQ(bad.report.verdict, Compatibility::incompatible);
  const CompatFinding& finding = bad.report.tables[0].findings[0];
  EXPECT_EQ(finding.rule, CompatRule::any_handle_left);
  EXPECT_EQ(finding.field, "value[]");
  EXPECT_TRUE(finding.depends_on_values);
  ASSERT_FALSE(bad.loaded);
  EXPECT_EQ(bad.loaded.error().code, finding.code);
  const Outcome good = pair({AnyHandle()});
  EXPECT_TRUE(good.loaded) << good.loaded.error().message();
}

TEST(CompatOfTables, BlobsAndSingletonsMustStay) {
  const Fill plain = table_of<Without>();
  const auto blobs = [](std::uint64_t bytes) {
    return
        [=](Database& db) { db.create_blob_table<Without>("things", {.capacity_bytes = bytes}); };
  };
  expect(outcome(blobs(4096), blobs(8192)), Compatibility::incompatible, {CompatRule::table_blobs},
         "");
  const Fill singleton = [](Database& db) { db.singleton<Without>("things"); };
  expect(outcome(empty_table<Without>({.storage = Storage::stable}), singleton),
         Compatibility::incompatible, {CompatRule::table_singleton}, "");
  expect(outcome(singleton, singleton), Compatibility::identical, {});
  expect(outcome(plain, table_of<Without>({}, {.scope = Scope::unhashed})), Compatibility::readable,
         {CompatRule::table_hashed}, "");
}

TEST(CompatOfTables, LimitsOfRecordsAreComparedWithTheCountOfAFile) {
  const auto game = [](std::uint64_t records, std::uint64_t most) {
    TableSchema schema;
    schema.table.name = "things";
    schema.table.live_count = records;
    schema.has_counts = records != 0;
    schema.max_records = most;
    return schema;
  };
  const auto compare = [](const TableSchema& a, const TableSchema& b) {
    return compare_schemas({a}, {b});
  };
  EXPECT_EQ(compare(game(9, kNoLimit), game(0, 9)).verdict, Compatibility::identical);
  const CompatReport full = compare(game(10, kNoLimit), game(0, 9));
  ASSERT_EQ(full.verdict, Compatibility::incompatible);
  EXPECT_EQ(full.tables[0].findings[0].rule, CompatRule::table_limit);
  EXPECT_FALSE(full.tables[0].findings[0].depends_on_values);
  const CompatReport lowered = compare(game(0, 10), game(0, 9));
  ASSERT_EQ(lowered.verdict, Compatibility::incompatible);
  EXPECT_TRUE(lowered.tables[0].findings[0].depends_on_values);
  EXPECT_EQ(compare(game(0, 9), game(0, 10)).verdict, Compatibility::identical);
}

}  // namespace
}  // namespace hdb::test::compat_test
