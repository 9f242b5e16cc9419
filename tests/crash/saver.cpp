// A program for the crash tests: makes one save, or says what the folders of saves hold.
//
//   crash_saver save WAY VERSION FOLDER     one save; prints its outcome
//   crash_saver resave WAY VERSION FOLDER...  a save in each folder; prints as `observe`
//   crash_saver observe WAY FOLDER...       prints, for each folder, the current version (or -) and
//                                           each file as NAME=VERSION
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "crash/save_kinds.hpp"

namespace hdb::test {
namespace {

// The tests count calls from here on: nothing of the program's start is disturbed.
constexpr const char* kMarker = "hdb-crash-test-begins";

// Exit statuses: where a failing write hides what is printed, these say it.
constexpr int kDurable = 0;
constexpr int kFailed = 3;
constexpr int kReplaced = 4;

std::string text_of(const std::optional<std::uint64_t>& version) {
  return version ? std::to_string(*version) : "-";
}

int save_once(SaveWay way, std::uint64_t version, const std::string& folder) {
  static_cast<void>(::access(kMarker, F_OK));
  const auto report = save_version(way, folder, version);
  std::string line =
      report ? std::string(outcome_name(report->outcome)) : "failed " + report.error().message();
  if (report && !report->backup_problem.what.empty()) line += " backups";
  std::printf("%s\n", line.c_str());
  if (!report) return kFailed;
  return report->outcome == SaveOutcome::durable ? kDurable : kReplaced;
}

void observe(SaveWay way, const std::string& folder) {
  std::printf("%s", text_of(current_version(way, folder)).c_str());
  for (const FoundFile& file : find_files(folder)) {
    std::printf(" %s=%s", file.name.c_str(), text_of(file.version).c_str());
  }
  std::printf("\n");
}

int run(const std::vector<std::string>& arguments) {
  const auto way = parse_save_way(arguments.at(1));
  if (!way) return 2;
  const std::string& command = arguments.at(0);
  if (command == "observe") {
    for (std::size_t i = 2; i < arguments.size(); ++i) observe(*way, arguments[i]);
    return 0;
  }
  const std::uint64_t version = std::stoull(arguments.at(2));
  if (command == "save") return save_once(*way, version, arguments.at(3));
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    const auto report = save_version(*way, arguments[i], version);
    if (!report) std::printf("failed %s ", report.error().message().c_str());
    observe(*way, arguments[i]);
  }
  return 0;
}

}  // namespace
}  // namespace hdb::test

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: crash_saver save|resave|observe WAY [VERSION] FOLDER...\n");
    return 2;
  }
  return hdb::test::run({argv + 1, argv + argc});
}
