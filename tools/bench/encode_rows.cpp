// encode*, state_hash_1pct*: from pages to columns and hashes, without compression and without
// files.
#include <ostream>

#include <cereal/archives/binary.hpp>

#include "bench.hpp"
#include "format/columns/filter.hpp"
#include "game.hpp"
#include "hdb/inspect/image.hpp"
#include "records.hpp"
#include "reference/warm_output.hpp"

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

void plain_rows(Bench& bench) {
  if (!bench.wants({"encode", "encode_hashed"})) return;
  Game game(false);
  WarmCopy copy(kMillionBytes);
  ColumnEncoder encoder;
  const Snapshot snapshot = game.database.capture();
  bench.compare(
      {"encode", 3, "", "columns and filters, / memcpy"}, [&] { encoder.encode(snapshot); },
      std::ref(copy));
  bench.compare(
      {"encode_hashed", 5, "", "a whole save without compression, / memcpy"},
      [&] { return save_to_nowhere(game, {.codec = Codec::none}); }, std::ref(copy));
}

void nested_row(Bench& bench) {
  if (!bench.wants({"encode_nested"})) return;
  People people(make_person);
  const Snapshot snapshot = people.database.capture();
  ColumnEncoder encoder;
  reference::WarmOutput output;
  std::ostream stream(&output);
  bench.compare(
      {"encode_nested", 0.6, "", "strings and lists, / cereal binary to memory, both warm"},
      [&] { encoder.encode(snapshot); },
      [&] {
        output.clear();
        cereal::BinaryOutputArchive archive(stream);
        archive(people.vector);
        return output.bytes().data();
      });
}

// A state hash after a change, the hash before it known, against one of which nothing is known.
void state_hash_row(Bench& bench, const Goal& goal, std::size_t count) {
  Lazy game([=] { return Game(false, count); });
  const auto hash = [](const Snapshot& snapshot) {
    return time_ns([&] { return snapshot.state_hash(); });
  };
  bench.compare(
      goal,
      [&] {
        static_cast<void>(game->database.state_hash());
        game->move_run(count / 100);
        return hash(game->database.capture());
      },
      [&] { return hash(game->capture_fresh()); });
}

}  // namespace

void encode_rows(Bench& bench) {
  plain_rows(bench);
  nested_row(bench);
  state_hash_row(bench, {"state_hash_1pct", 0.02, "", "a run of 10,000 changed, / full hash"},
                 kMillion);
  state_hash_row(bench,
                 {"state_hash_1pct_10m", 0.02, "", "a run of 100,000 of 10 million, / full hash"},
                 10 * kMillion);
}

}  // namespace hdb::bench
