// Row A1, "sizes are tunable": handles of any split of 16, 32 or 64 bits keep their meaning in a
// file, in another process and in hdbinspect.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/translate_handle.hpp"
#include "support/folder.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::tunable_sizes_test {
namespace {

struct Thing {
  std::int32_t value = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

using Layouts =
    std::tuple<Layout<16, 16>, Layout<24, 8>, Layout<22, 10>, Layout<40, 23>, Layout<10, 6>,
               Layout<7, 2>, Layout<9, 1>, Layout<10, 12, 10>, Layout<40, 20, 4>, Layout<8, 5, 3>>;
constexpr std::size_t kTables = std::tuple_size_v<Layouts>;
template <std::size_t I>
using LayoutAt = std::tuple_element_t<I, Layouts>;

const char* const kFile = "HDB_TEST_TUNABLE_SIZES";  // the file that the other process loads

template <std::size_t I>
std::string name_of() {
  return "table" + std::to_string(I);
}

template <std::size_t I>
Table<Thing, LayoutAt<I>>& make_table(Database& db) {
  const TableOptions options{
      .storage = I % 2 == 0 ? Storage::dense : Storage::stable,
      .type_id = static_cast<std::uint16_t>(LayoutAt<I>::type_bits == 0 ? 0 : I - 4)};
  return db.create_table<Thing, LayoutAt<I>>(name_of<I>(), options);
}

// Every second record is erased, some slots have many tenants; returns all handles ever issued.
template <std::size_t I>
std::vector<std::uint64_t> churn(Database& db) {
  auto& table = *db.find_table<Thing, LayoutAt<I>>(name_of<I>());
  std::vector<std::uint64_t> issued;
  for (std::int32_t i = 0; i < 60; ++i) {
    const auto handle = table.insert({i});
    issued.push_back(handle.bits());
    if (i % 2 == 1) table.erase(handle);
  }
  return issued;
}

template <std::size_t I>
auto handle_of(std::uint64_t bits) {
  using H = Handle<Thing, LayoutAt<I>>;
  return H::from_bits(static_cast<typename H::Bits>(bits));
}

// Which of the handles live and what they name, and which handles come next: one line a table.
template <std::size_t I>
std::string report(Database& db, const std::vector<std::uint64_t>& issued) {
  auto& table = *db.find_table<Thing, LayoutAt<I>>(name_of<I>());
  std::string text;
  for (const std::uint64_t bits : issued) {
    const Thing* const thing = table.find(handle_of<I>(bits));
    text += (thing == nullptr ? "stale" : std::to_string(thing->value)) + " ";
  }
  for (std::int32_t i = 0; i < 80; ++i)
    text += std::to_string(table.insert({1000 + i}).bits()) + " ";
  EXPECT_EQ(table.check_invariants(), nullptr);
  return text;
}

template <std::size_t... I>
void make_tables(Database& db, std::index_sequence<I...>) {
  (make_table<I>(db), ...);
}
template <std::size_t... I>
std::array<std::vector<std::uint64_t>, kTables> churn_all(Database& db, std::index_sequence<I...>) {
  return {churn<I>(db)...};
}
template <std::size_t... I>
std::string report_all(Database& db, const std::array<std::vector<std::uint64_t>, kTables>& issued,
                       std::index_sequence<I...>) {
  return ((report<I>(db, issued[I]) + "\n") + ...);
}
template <std::size_t... I>
constexpr std::array<HandleLayout, kTables> layouts_of(std::index_sequence<I...>) {
  return {LayoutAt<I>::value...};
}
constexpr auto kAll = std::make_index_sequence<kTables>{};
[[maybe_unused]] constexpr auto kLayouts = layouts_of(kAll);

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What the other process does: loads the file, and writes what it finds and issues.
void be_the_other_process(const std::string& file) {
  Database db;
  make_tables(db, kAll);
  const auto loaded = db.load(file);
  ASSERT_TRUE(loaded) << loaded.error().message();
  std::array<std::vector<std::uint64_t>, kTables> issued;
  std::ifstream in(file + ".handles");
  for (auto& handles : issued) {
    handles.resize(60);
    for (std::uint64_t& bits : handles) in >> bits;
  }
  ASSERT_TRUE(in);
  std::ofstream(file + ".report") << report_all(db, issued, kAll);
}

TEST(TunableSizes, A1_AnySplitMeansTheSameInAnotherProcessAndInHdbinspect) {
  if (const char* const given = std::getenv(kFile)) return be_the_other_process(given);
  const Folder folder;
  const std::string file = folder / "sizes.hdb";
  Database db;
  make_tables(db, kAll);
  const auto issued = churn_all(db, kAll);
  const auto saved = save(db.capture(), file);
  ASSERT_TRUE(saved) << saved.error().message();
  {
    std::ofstream out(file + ".handles");
    for (const auto& handles : issued) {
      for (const std::uint64_t bits : handles) out << bits << ' ';
    }
  }
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command = std::string(kFile) + "='" + file + "' '" + self +
                              "' --gtest_filter='TunableSizes.A1_*' --gtest_output= >'" +
                              folder / "output" + "' 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << content_of(folder / "output");
  EXPECT_EQ(content_of(file + ".report"), report_all(db, issued, kAll));

#ifdef HDB_INSPECT  // Its tables and records are those that the handles of this process name.
  const auto inspect = [&](const std::string& arguments) {
    const std::string line = std::string("'") + HDB_INSPECT + "' " + arguments + " '" + file +
                             "' >'" + folder / "output" + "' 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    return content_of(folder / "output");
  };
  static_cast<void>(inspect("validate --level=deep"));
  const std::string listed = inspect("ls");
  for (const HandleLayout& layout : kLayouts)
    EXPECT_NE(listed.find(layout_text(layout)), std::string::npos) << listed;
  const std::string records = inspect("dump --json");
  std::size_t live = 0;
  for (std::size_t table = 0; table < kTables; ++table) {
    for (std::size_t i = 0; i < 60; i += 2) {
      const auto parts = split_handle(kLayouts[table], issued[table][i]);
      ASSERT_TRUE(parts);
      const std::string handle = "\"handle\":\"table" + std::to_string(table) + ":" +
                                 std::to_string(parts->index) + "@" +
                                 std::to_string(parts->generation) + "\",";
      const std::size_t at = records.find(handle);
      ASSERT_NE(at, std::string::npos) << handle;
      const std::string value = "\"value\":" + std::to_string(i) + "}";
      EXPECT_LT(records.find(value, at), records.find('\n', at)) << handle;
      ++live;
    }
  }
  EXPECT_EQ(live, kTables * 30);
#endif
}

}  // namespace
}  // namespace hdb::test::tunable_sizes_test
