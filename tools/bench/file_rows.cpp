// save_*, load_file_2t*, read_info: whole saves, their size, and loading them.
#include <filesystem>
#include <fstream>
#include <span>

#include "bench.hpp"
#include "game.hpp"
#include "records.hpp"
#include "reference/zstd.hpp"
#include "temporary_folder.hpp"

namespace hdb::bench {
namespace {

void save_rows(Bench& bench, Game& game) {
  reference::ZstdStream reference(1);
  const Run one_thread = [&] { return save_to_nowhere(game, {.threads = 1}); };
  bench.compare({"save_cpu", 0.5, "", "1 thread, / copy and one zstd-1 stream"}, one_thread,
                [&] { return reference.save(game.record_bytes()).data(); });
  bench.compare(
      {"save_cpu_2t", 0.55, "", "2 threads / 1 thread"},
      [&] { return save_to_nowhere(game, {.threads = 2}); }, one_thread);
  bench.compare(
      {"save_cpu_2t_least", {}, "", "only zstd, 2 threads / 1 thread: what the machine has"},
      [&] { reference::compress_frames(game.record_bytes(), 2); },
      [&] { reference::compress_frames(game.record_bytes(), 1); });
  const auto size_row = [&](const Goal& goal, Game& some) {
    bench.report(goal, static_cast<double>(file_of(some.database.capture()).size()) /
                           static_cast<double>(reference.save(some.record_bytes()).size()));
  };
  if (!bench.wants({"save_file_size", "save_file_size_churned"})) return;
  size_row({"save_file_size", 0.60, "", "/ the stream's bytes, mixed data"}, game);
  Game churned(true);
  size_row({"save_file_size_churned", 0.76, "", "the same, a churned dense table"}, churned);
}

// Records with strings and lists, against writing them one after the other, as a fast serializer
// does, and compressing that.
void save_nested_rows(Bench& bench) {
  if (!bench.wants({"save_nested", "save_nested_size"})) return;
  People people(make_mixed_person);
  reference::ZstdStream reference(1);
  const auto stream = [&] {
    reference.clear();
    for (const Person& person : people.vector) {
      reference.append_list(person.name);
      reference.append_list(person.items);
    }
    return reference.compress();
  };
  const auto handles = one_of_each_page(people.table);
  bench.report({"save_nested_size", {}, "", "/ the stream's bytes"},
               static_cast<double>(file_of(people.database.capture()).size()) /
                   static_cast<double>(stream().size()));
  bench.compare(
      {"save_nested", 1, "", "strings and lists, 1 thread, / serializer and one zstd-1 stream"},
      [&] {
        for (const auto handle : handles) people.table.edit(handle)->name += '.';
        const Snapshot fresh = people.database.capture();
        NullSink sink;
        return time_ns([&] { return save(fresh, sink).has_value(); });
      },
      [&] { return stream().data(); });
}

// Both sides into memory that they used before, and both into fresh memory.
void file_load_rows(Bench& bench, Game& game, const std::string& path,
                    const std::string& stream_path) {
  if (!bench.wants({"load_file_2t", "load_file_2t_cold"})) return;
  reference::ZstdStream reference(1);
  const auto stream = reference.save(game.record_bytes());
  std::ofstream(stream_path, std::ios::binary)
      .write(reinterpret_cast<const char*>(stream.data()),
             static_cast<std::streamsize>(stream.size()));
  const auto load = [&](Database& database) {
    return time_ns([&] { return database.load(path, {.threads = 2}).has_value(); });
  };
  const auto load_stream = [&](reference::ZstdLoad& into) {
    return time_ns([&] { return into.load(stream_path, kMillionBytes).data(); });
  };
  Database used;
  used.create_table<Body>("bodies");
  reference::ZstdLoad used_buffers;
  bench.compare(
      {"load_file_2t", 0.6, "", "/ read, one-thread zstd, copy; both warm", true},
      [&] { return load(used); }, [&] { return load_stream(used_buffers); });
  bench.compare(
      {"load_file_2t_cold", {}, "", "the same, both into fresh memory", true},
      [&] {
        make_memory_cold();
        Database database;
        database.create_table<Body>("bodies");
        return load(database);
      },
      [&] {
        make_memory_cold();
        reference::ZstdLoad buffers;
        return load_stream(buffers);
      });
}

void disk_rows(Bench& bench, Game& game) {
  const TemporaryFolder folder;
  const std::string path = folder.file("game.hdb");
  const Snapshot snapshot = game.database.capture();
  std::vector<double> writing;
  std::vector<double> syncing;
  const auto save_file = [&] {
    const auto report = save(snapshot, path, {.write = {.threads = 2}});
    writing.push_back(report ? report->encode_ms : 0);
    syncing.push_back(report ? report->commit_ms : 0);
    return report.has_value();
  };
  if (!save_file()) return;
  bench.measure({"save_file_ms", {}, "ms", "whole durable save, 2 threads"}, save_file);
  if (writing.size() > 1) {
    bench.report({"save_file_ms_writing", {}, "ms"}, median(writing));
    bench.report({"save_file_ms_syncing", {}, "ms"}, median(syncing));
  }
  file_load_rows(bench, game, path, folder.file("stream.zst"));
  bench.measure({"read_info", 100, "us", "cached"}, [&] { return read_info(path).has_value(); });
}

}  // namespace

void file_rows(Bench& bench) {
  save_nested_rows(bench);
  if (!bench.wants({"save_cpu_2t_least", "save_file_size_churned", "save_file_ms_writing",
                    "save_file_ms_syncing", "load_file_2t", "load_file_2t_cold", "read_info"})) {
    return;
  }
  Game game(false);
  save_rows(bench, game);
  disk_rows(bench, game);
}

}  // namespace hdb::bench
