// encode*, state_hash_1pct: from pages to columns and hashes, without compression and without
// files.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <sstream>
#include <vector>

#include <cereal/archives/binary.hpp>

#include "bench.hpp"
#include "format/columns/filter.hpp"
#include "game.hpp"
#include "hdb/inspect/image.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

// Gathers every row group of a snapshot into columns and filters them, as the writer does before it
// compresses.
class ColumnEncoder {
 public:
  void encode(const Snapshot& snapshot) {
    const auto image = snapshot.image({});
    for (std::size_t table = 0; table < image->tables().size(); ++table) {
      const std::vector<Column> columns =
          columns_of(image->schemas()[image->tables()[table].schema]);
      for (std::uint64_t group = 0; group < image->tables()[table].group_count(); ++group) {
        if (!image->read_group(table, group, false, group_)) return;
        filter(std::as_bytes(std::span(group_.states)), 1);
        filter(std::as_bytes(std::span(group_.generations)), 4);
        filter(std::as_bytes(std::span(group_.positions)), 4);
        for (std::size_t i = 0; i < columns.size(); ++i)
          filter(group_.columns[i], columns[i].role == ColumnRole::values ? columns[i].width : 1);
      }
    }
  }

 private:
  void filter(std::span<const std::byte> raw, unsigned width) {
    const format::Filter chosen = format::choose_filter(raw, width);
    const std::size_t size = format::filtered_size(chosen, raw.size(), width);
    if (out_.size() < size) out_.resize(size);
    if (chosen != format::Filter::none) format::apply_filter(chosen, raw, width, out_.data());
    benchmark::DoNotOptimize(out_.data());
  }
  RowGroup group_;
  Bytes out_;
};

// A state hash after a change, the hash before it known, against one of which nothing is known.
void compare_hashes(Bench& bench, Game& game, const Goal& goal, void (*change)(Game&)) {
  bench.compare(
      goal,
      [&] {
        static_cast<void>(game.database.state_hash());
        change(game);
        const Snapshot changed = game.database.capture();
        return time_ns([&] { benchmark::DoNotOptimize(changed.state_hash()); });
      },
      [&] {
        const Snapshot fresh = game.capture_fresh();
        return time_ns([&] { benchmark::DoNotOptimize(fresh.state_hash()); });
      });
}

void state_hash_rows(Bench& bench, Game& game) {
  compare_hashes(
      bench, game,
      {.name = "state_hash_1pct", .target = 0.02, .note = "a run of 10,000 changed, / full hash"},
      [](Game& some) { some.move_run(kMillion / 100); });
  compare_hashes(bench, game,
                 {.name = "state_hash_1pct_clusters", .note = "39 clusters of 256, / full hash"},
                 [](Game& some) { some.move_clusters(); });
  compare_hashes(bench, game,
                 {.name = "state_hash_1pct_scattered", .note = "10,000 anywhere, / full hash"},
                 [](Game& some) { some.move_scattered(10'000); });
  compare_hashes(bench, game,
                 {.name = "state_hash_1pct_all_move", .note = "every one, / full hash"},
                 [](Game& some) { some.move_all(); });
  if (!bench.wants({"state_hash_1pct_10m"})) return;
  Game large(false, 10 * kMillion);
  compare_hashes(
      bench, large,
      {.name = "state_hash_1pct_10m", .target = 0.02, .note = "a run of 100,000 of 10 million"},
      [](Game& some) { some.move_run(kMillion / 10); });
}

void plain_rows(Bench& bench) {
  if (!bench.wants({"encode", "encode_hashed", "state_hash_1pct", "state_hash_1pct_clusters",
                    "state_hash_1pct_scattered", "state_hash_1pct_all_move",
                    "state_hash_1pct_10m"})) {
    return;
  }
  Game game(false);
  WarmCopy copy(kMillion * sizeof(Body));
  ColumnEncoder encoder;
  const Snapshot snapshot = game.database.capture();
  bench.compare(
      {.name = "encode", .target = 3, .note = "columns and filters, / memcpy"},
      [&] { return time_ns([&] { encoder.encode(snapshot); }); }, std::ref(copy));
  bench.compare(
      {.name = "encode_hashed", .target = 5, .note = "a whole save without compression, / memcpy"},
      [&] {
        const Snapshot fresh = game.capture_fresh();
        NullSink sink;
        SaveOptions options;
        options.write.codec = Codec::none;
        return time_ns([&] { benchmark::DoNotOptimize(save(fresh, sink, options).has_value()); });
      },
      std::ref(copy));
  state_hash_rows(bench, game);
}

void nested_encode_rows(Bench& bench) {
  if (!bench.wants({"encode_nested"})) return;
  constexpr std::size_t kCount = 200'000;
  Database database;
  Table<Person>& people = database.create_table<Person>("people");
  std::vector<Person> vector;
  for (std::size_t i = 0; i < kCount; ++i) {
    people.insert(make_person(i));
    vector.push_back(make_person(i));
  }
  const Snapshot snapshot = database.capture();
  ColumnEncoder encoder;
  bench.compare(
      {.name = "encode_nested",
       .target = 0.6,
       .note = "strings and lists, / cereal binary to memory"},
      [&] { return time_ns([&] { encoder.encode(snapshot); }); },
      [&] {
        return time_ns([&] {
          std::ostringstream stream;
          cereal::BinaryOutputArchive archive(stream);
          archive(vector);
          benchmark::DoNotOptimize(stream.tellp());
        });
      });
}

}  // namespace

void encode_rows(Bench& bench) {
  plain_rows(bench);
  nested_encode_rows(bench);
}

}  // namespace hdb::bench
