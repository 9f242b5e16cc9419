// The game of check_later.py: loads files of two tables, and saves what it loaded.
//
//   load_later MODE FOLDER FILE...
//
// MODE is exact, fork, keep, or the name of a limit, which is then lowered. Prints a line for each
// file: `refused CATEGORY CODE`, or `loaded`, whether the new state is the `same` as in the footer,
// and what the report says was dropped or kept. A loaded state is saved in FOLDER, under the name
// of the file.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/hdb.hpp"

namespace hdb::test {
namespace {

struct Unit {
  std::int32_t a = 0;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(a));
  }
};

// Limits that tests lower: each is exceeded by every file of the test.
const std::map<std::string_view, std::uint64_t ReadLimits::*> kLimits = {
    {"max_file_bytes", &ReadLimits::max_file_bytes},
    {"max_slots_per_table", &ReadLimits::max_slots_per_table},
    {"max_tables", &ReadLimits::max_tables},
    {"max_schema_fields", &ReadLimits::max_schema_fields},
    {"max_blocks", &ReadLimits::max_blocks},
    {"max_metadata_bytes", &ReadLimits::max_metadata_bytes},
    {"max_directory_bytes", &ReadLimits::max_directory_bytes},
    {"max_memory_bytes", &ReadLimits::max_memory_bytes},
};

std::string places_of(const LoadReport& report) {
  std::string text;
  const auto add = [&](const std::string& table, const DroppedExtension& each) {
    text += " " + table + ":" + each.field + ":" + std::to_string(each.tag);
  };
  for (const DroppedExtension& each : report.dropped_extensions) add("", each);
  for (const TableLoadReport& table : report.tables)
    for (const DroppedExtension& each : table.dropped_extensions) add(table.name, each);
  for (const std::string& table : report.unknown_tables) text += " without " + table;
  for (const std::string& table : report.kept_tables) text += " keeps " + table;
  return text;
}

std::string outcome_of(const std::string& path, const std::string& saved,
                       const LoadOptions& options) {
  Database db;
  db.create_table<Unit, DefaultLayout, struct A>("a", {.storage = Storage::stable});
  db.create_table<Unit, DefaultLayout, struct B>("b", {.storage = Storage::stable});
  const Hash128 before = db.state_hash();
  const auto report = db.load(path, options);
  if (!report) {
    const ErrorCode code = report.error().code;
    const ErrorCategory category = category_of(code);
    return "refused " +
           (category == ErrorCategory::newer ? "newer" : std::string(category_name(category))) +
           " " + std::string(code_name(code)) + (db.state_hash() == before ? "" : ", but changed");
  }
  const Hash128 loaded = db.state_hash();
  const auto save_report = save(db.capture(), saved);
  if (!save_report) return "not saved: " + save_report.error().message();
  return std::string("loaded ") + (loaded == report->info.state_hash ? "same" : "other") +
         places_of(*report);
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return 2;
  const std::string& mode = arguments[0];
  LoadOptions options;
  options.keep_unknown = mode == "keep";
  if (mode == "fork") options.mode = TimelineMode::fork;
  if (const auto limit = kLimits.find(mode); limit != kLimits.end())
    options.limits.*limit->second = 1;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const std::string& path = arguments[i];
    const std::string saved = arguments[1] + path.substr(path.rfind('/'));
    std::printf("%s\n", outcome_of(path, saved, options).c_str());
  }
  return 0;
}

}  // namespace
}  // namespace hdb::test

int main(int argc, char** argv) {
  return hdb::test::run(std::vector<std::string>(argv + 1, argv + argc));
}
