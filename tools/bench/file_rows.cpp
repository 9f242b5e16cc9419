// save_*, load_file_2t, read_info: whole saves, their size, and loading them.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench.hpp"
#include "game.hpp"
#include "records.hpp"
#include "reference/zstd_frames.hpp"
#include "reference/zstd_stream.hpp"
#include "temporary_folder.hpp"

namespace hdb::bench {
namespace {

std::uint64_t saved_bytes(const Snapshot& snapshot) {
  NullSink sink;
  const auto report = save(snapshot, sink);
  return report ? report->bytes : 0;
}

void save_rows(Bench& bench, Game& game) {
  reference::ZstdStream reference(1);
  const Run stream = [&] {
    return time_ns([&] { benchmark::DoNotOptimize(reference.save(game.record_bytes()).data()); });
  };
  const Run one_thread = [&] { return save_to_nowhere(game, 1); };
  bench.compare(
      {.name = "save_cpu", .target = 0.5, .note = "1 thread, / copy and one zstd-1 stream"},
      one_thread, stream);
  bench.compare(
      {.name = "save_cpu_2t", .target = 0.55, .note = "2 threads / 1 thread"},
      [&] { return save_to_nowhere(game, 2); }, one_thread);
  const auto compress = [&](unsigned threads) {
    return [&game, threads] {
      return time_ns([&] { reference::compress_frames(game.record_bytes(), threads); });
    };
  };
  bench.compare({.name = "save_cpu_2t_least",
                 .note = "only zstd, 2 threads / 1 thread: what the machine has"},
                compress(2), compress(1));
  if (!bench.wants({"save_file_size"})) return;
  const auto ratio = [&](Game& some) {
    return static_cast<double>(saved_bytes(some.database.capture())) /
           static_cast<double>(reference.save(some.record_bytes()).size());
  };
  bench.report(
      {.name = "save_file_size", .target = 0.60, .note = "/ the stream's bytes, mixed data"},
      ratio(game));
  Game churned(true);
  bench.report(
      {.name = "save_file_size_churned", .target = 0.76, .note = "the same, a churned dense table"},
      ratio(churned));
}

// Records with strings and lists, against writing them one after the other, as a fast serializer
// does, and compressing that.
void nested_rows(Bench& bench) {
  if (!bench.wants({"save_nested", "save_nested_size"})) return;
  constexpr std::size_t kCount = 200'000;
  Database database;
  Table<Person>& people = database.create_table<Person>("people");
  for (std::size_t i = 0; i < kCount; ++i) people.insert(make_mixed_person(i));
  const std::vector<Person> records(people.begin(), people.end());
  reference::ZstdStream reference(1);
  const auto stream = [&] {
    reference.clear();
    for (const Person& person : records) {
      reference.append_list(person.name);
      reference.append_list(person.items);
    }
    return reference.compress();
  };
  const std::size_t stream_bytes = stream().size();
  SaveOptions options;
  options.write.threads = 1;
  std::uint64_t bytes = 0;
  bench.compare(
      {.name = "save_nested",
       .target = 1,
       .note = "strings and lists, 1 thread, / serializer and one zstd-1 stream"},
      [&] {
        for (const auto handle : one_of_each_page(people)) people.edit(handle)->name += '.';
        const Snapshot fresh = database.capture();
        NullSink sink;
        const double time =
            time_ns([&] { benchmark::DoNotOptimize(save(fresh, sink, options).has_value()); });
        bytes = sink.bytes;
        return time;
      },
      [&] { return time_ns([&] { benchmark::DoNotOptimize(stream().data()); }); });
  bench.report({.name = "save_nested_size", .note = "/ the stream's bytes"},
               static_cast<double>(bytes) / static_cast<double>(stream_bytes));
}

std::vector<std::byte> read_file(const std::string& path) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::filesystem::file_size(path)));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

void file_rows_of(Bench& bench, Game& game) {
  if (!bench.wants({"save_file_ms", "save_file_ms_writing", "save_file_ms_syncing", "load_file_2t",
                    "read_info"})) {
    return;
  }
  const TemporaryFolder folder;
  const std::string path = folder.file("game.hdb");
  const Snapshot snapshot = game.database.capture();
  SaveOptions options;
  options.write.threads = 2;
  std::vector<double> writing;
  std::vector<double> syncing;
  bench.measure({.name = "save_file_ms", .unit = "ms", .note = "whole durable save, 2 threads"},
                [&] {
                  return time_ns([&] {
                    const auto report = save(snapshot, path, options);
                    if (!report) return;
                    writing.push_back(report->encode_ms);
                    syncing.push_back(report->commit_ms);
                  });
                });
  if (!writing.empty()) {
    bench.report({.name = "save_file_ms_writing", .unit = "ms"}, median(writing));
    bench.report({.name = "save_file_ms_syncing", .unit = "ms"}, median(syncing));
  } else if (!save(snapshot, path, options)) {
    return;
  }

  reference::ZstdStream reference(1);
  const auto stream = reference.save(game.record_bytes());
  const std::string stream_path = folder.file("stream.zst");
  std::ofstream(stream_path, std::ios::binary)
      .write(reinterpret_cast<const char*>(stream.data()),
             static_cast<std::streamsize>(stream.size()));
  bench.compare(
      {.name = "load_file_2t",
       .target = 0.27,
       .note = "/ read, one-thread zstd, copy; fresh memory"},
      [&] {
        make_memory_cold();
        Database database;
        database.create_table<Body>("bodies");
        LoadOptions load_options;
        load_options.threads = 2;
        return time_ns(
            [&] { benchmark::DoNotOptimize(database.load(path, load_options).has_value()); });
      },
      [&] {
        make_memory_cold();
        std::vector<std::byte> records;
        return time_ns([&] {
          records = reference::load_zstd_stream(read_file(stream_path), game.record_bytes().size());
          benchmark::DoNotOptimize(records.data());
        });
      });
  bench.measure({.name = "read_info", .target = 100, .unit = "us", .note = "cached"}, [&] {
    return time_ns([&] { benchmark::DoNotOptimize(read_info(path).has_value()); });
  });
}

}  // namespace

void file_rows(Bench& bench) {
  nested_rows(bench);
  if (!bench.wants({"save_cpu", "save_cpu_2t", "save_cpu_2t_least", "save_file_size",
                    "save_file_size_churned", "save_file_ms", "save_file_ms_writing",
                    "save_file_ms_syncing", "load_file_2t", "read_info"})) {
    return;
  }
  Game game(false);
  save_rows(bench, game);
  file_rows_of(bench, game);
}

}  // namespace hdb::bench
