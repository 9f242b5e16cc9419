// compile_*: what hdb costs the compiler and the program, by the compiler that built this one.
// compile.sh compiles one case; figures are seconds in user mode.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "bench.hpp"

namespace hdb::bench {
namespace {

constexpr int kManyTypes = 21;

// The number that the script prints for a case.
double number_of(const std::string& what) {
  static const bool is_told = [] {
    ::setenv("COMPILER", HDB_BENCH_COMPILER, 1);
    ::setenv("INCLUDES", HDB_BENCH_INCLUDES, 1);
    ::setenv("PROGRAM", HDB_BENCH_SOURCE, 1);
    return true;
  }();
  static_cast<void>(is_told);
  const std::string command = "'" HDB_BENCH_SCRIPT "' " + what;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::array<char, 64> line{};
  const bool has_line = std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr;
  if (::pclose(pipe) != 0 || !has_line) throw std::runtime_error("failed: " + command);
  return std::atof(line.data());
}

Run time_to_compile(const std::string& what) {
  return [command = "time " + what] { return number_of(command) * 1e9; };
}

// Seconds and bytes that one record type more costs, of many.
void next_record(Bench& bench) {
  constexpr double kMore = kManyTypes - 1;
  const std::string many = fmt::format("records {}", kManyTypes);
  if (bench.wants({"compile_record_next"})) {
    std::vector<double> seconds;
    for (std::size_t round = 0; round < 7; ++round)
      seconds.push_back((number_of("time " + many) - number_of("time records 1")) / kMore);
    bench.report({"compile_record_next", 0.12, "s", "each further record type, -O2"},
                 median(seconds));
  }
  if (bench.wants({"compile_record_bytes"})) {
    bench.report({"compile_record_bytes", 3072, "B", "code and data of each further type, -O2"},
                 (number_of("size " + many) - number_of("size records 1")) / kMore);
  }
}

}  // namespace

void compile_rows(Bench& bench) {
  bench.compare({"compile_include", 1.2, "", "hdb.hpp / standard headers and cereal's core", true},
                time_to_compile("include hdb"), time_to_compile("include standard"));
#if HDB_BENCH_HAS_ENTT
  bench.compare({"compile_include_entt", 1.0, "", "hdb.hpp / EnTT's registry", true},
                time_to_compile("include hdb"), time_to_compile("include entt"));
#endif
  bench.compare({"compile_record", 1.5, "", "the README program / cereal alone, -O2", true},
                time_to_compile("program hdb"), time_to_compile("program cereal"));
  next_record(bench);
  if (bench.wants({"compile_size"})) {
    bench.report({"compile_size", 1.0, "MB", "the README program, linked and stripped"},
                 static_cast<double>(std::filesystem::file_size(HDB_BENCH_PROGRAM)) * 1e-6);
  }
}

}  // namespace hdb::bench
