// hdb_large_file: writes a save of any size without holding it in memory, for figures on large
// files.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include "game.hpp"
#include "hdb/atomic_file.hpp"
#include "hdb/inspect.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

// A dense table of mixed bodies, each group made from its number when it is asked for.
class LargeImage final : public ImageSource {
 public:
  LargeImage(std::uint64_t records, std::optional<std::uint64_t> changed) : changed_(changed) {
    Database database;
    database.create_table<Body>("bodies");
    MemorySink sink;
    static_cast<void>(save(database.capture(), sink));
    const auto empty = Reader::open(std::make_unique<MemorySource>(sink.bytes())).value();
    schemas_ = empty->schemas();
    tables_ = empty->tables();
    columns_ = columns_of(schemas_[tables_[0].schema]);
    tables_[0].slot_count = tables_[0].live_count = records;
    tables_[0].highest_generation = 1;
    metadata_.title = std::to_string(records) + " bodies";
  }

  [[nodiscard]] const Metadata& metadata() const override { return metadata_; }
  [[nodiscard]] const Bytes& thumbnail() const override { return thumbnail_; }
  [[nodiscard]] const std::vector<Field>& schemas() const override { return schemas_; }
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const override { return tables_; }

  [[nodiscard]] Status read_slots(std::size_t, std::uint64_t group, RowGroup& out) const override {
    out.first_slot = tables_[0].group_begin(group);
    const auto count = static_cast<std::size_t>(tables_[0].group_end(group) - out.first_slot);
    out.states.assign(count, static_cast<std::uint8_t>(SlotState::live));
    out.generations.assign(count, 1);
    out.positions.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      out.positions[i] = static_cast<std::uint32_t>(out.first_slot + i);
    out.columns.assign(columns_.size(), {});
    out.record_hash.reset();
    return {};
  }

  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                                  RowGroup& out) const override {
    static_cast<void>(read_slots(table, group, out));
    std::mt19937_64 random(kSeed + group);
    std::size_t at = 0;
    for (std::size_t column = 0; column < columns_.size(); ++column)
      out.columns[column].resize(out.states.size() * columns_[column].width);
    for (std::size_t i = 0; i < out.states.size(); ++i) {
      Body body = make_mixed_body(out.first_slot + i, random);
      if (changed_ == out.first_slot + i) body.health += 1;
      at = 0;  // fields and columns are in one order, without gaps
      for (std::size_t column = 0; column < columns_.size(); ++column) {
        const unsigned width = columns_[column].width;
        std::memcpy(out.columns[column].data() + i * width,
                    reinterpret_cast<const std::byte*>(&body) + at, width);
        at += width;
      }
    }
    if (with_hash) {
      auto hash = group_record_hash(schemas_[tables_[0].schema], out);
      if (!hash) return fail(std::move(hash.error()));
      out.record_hash = *hash;
    }
    return {};
  }

  [[nodiscard]] Status read_free_list(std::size_t, std::uint64_t,
                                      std::span<std::uint32_t>) const override {
    return {};
  }

 private:
  std::optional<std::uint64_t> changed_;
  Metadata metadata_;
  Bytes thumbnail_;
  std::vector<Field> schemas_;
  std::vector<TableDescriptor> tables_;
  std::vector<Column> columns_;
};

int run(const std::string& path, std::uint64_t records, std::optional<std::uint64_t> changed) {
  const LargeImage image(records, changed);
  auto file = AtomicFile::create(path);
  WriteOptions options;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  options.limits.max_memory_bytes = std::numeric_limits<std::uint64_t>::max();
  Status status = file ? Status{} : fail(file.error());
  if (status) {
    const auto written = write_image(image, **file, options);
    if (!written) status = fail(written.error());
  }
  if (status) {
    const auto committed = (*file)->commit();
    if (!committed) status = fail(committed.error());
  }
  if (!status) std::fprintf(stderr, "hdb_large_file: %s\n", status.error().message().c_str());
  return status ? 0 : 2;
}

}  // namespace
}  // namespace hdb::bench

int main(int argc, char** argv) {
  CLI::App app("Writes a save of 64-byte records, as large as you like.");
  std::string path;
  std::uint64_t records = 0;
  double gibibytes = 0;
  std::optional<std::uint64_t> changed;
  app.add_option("FILE", path, "the save to write")->required();
  auto* const count = app.add_option("--records", records, "how many records");
  app.add_option("--gibibytes", gibibytes, "as many records as take this much raw memory")
      ->excludes(count)
      ->check(CLI::Range(0.0, 256.0));
  app.add_option("--change", changed, "the slot of a record that is to differ");
  CLI11_PARSE(app, argc, argv);
  if (gibibytes > 0) records = static_cast<std::uint64_t>(gibibytes * (1u << 24));
  return hdb::bench::run(path, records, changed);
}
