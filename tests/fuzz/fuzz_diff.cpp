// Edited and sealed files compared with sound ones and with themselves: nothing crashes, and what
// two files differ in does not depend on which comes first.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/filter.hpp"
#include "require.hpp"
#include "sealed_file.hpp"
#include "sound_files.hpp"
#include "subject.hpp"

namespace hdb::fuzz {
namespace {

Result<std::unique_ptr<Reader>> opened(const Bytes& file) {
  return Reader::open(std::make_unique<MemorySource>(MemorySource::borrowing(file)),
                      {.limits = limits_for(file)});
}

DiffOptions any_options(FuzzedDataProvider& in) {
  DiffOptions options;
  options.records = in.ConsumeBool();
  options.fields = in.ConsumeBool();
  options.json = in.ConsumeBool();
  options.read_all = in.ConsumeBool();
  options.added_values = in.ConsumeBool();
  options.nan_equal = in.ConsumeBool();
  options.max_details = in.ConsumeIntegralInRange<std::uint64_t>(0, 20);
  if (in.ConsumeBool()) options.ignore.push_back(Glob::of_path("**.hp").value());
  if (in.ConsumeBool()) options.ignore.push_back(Glob::of_path("things.rows").value());
  if (in.ConsumeBool()) options.tolerances.push_back({Glob::of_path("units.x").value(), 0.5, {}});
  if (in.ConsumeBool()) options.tolerances.push_back({Glob::of_path("**").value(), {}, 0.1});
  if (in.ConsumeIntegralInRange(0, 3) == 0)
    options.where = FilterExpression::parse("hp > 10 or tick == 1 or name == 'hero'").value();
  return options;
}

// The differences of one direction, without details.
struct Sums {
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t others = 0;
};

Sums sums_of(const StateDiff& difference) {
  Sums sums;
  for (const TableDiff& table : difference.tables) {
    sums.added += table.added;
    sums.removed += table.removed;
    sums.others += table.changed + table.reused;
  }
  return sums;
}

// F16: what differs is the same in both directions.
void check_both(const Reader& a, const Reader& b, const DiffOptions& options) {
  const auto there = diff(a, b, options);
  const auto back = diff(b, a, options);
  if (!there || !back) {
    const Error& error = there ? back.error() : there.error();
    require(!error.message().empty(), "F16: a refusal says why");
    return;
  }
  const Sums sums = sums_of(*there);
  const Sums other = sums_of(*back);
  require(sums.added == other.removed && sums.removed == other.added &&
              sums.others == other.others && there->differs() == back->differs(),
          "F16: a comparison is the same in both directions");
  require(there->differs() != there->first().empty(), "F16: a difference has a text");
}

// F17: a file does not differ from itself.
void check_alone(const Reader& reader, const DiffOptions& options) {
  DiffOptions all = options;
  all.read_all = true;
  all.nan_equal = true;
  const auto none = diff(reader, reader, all);
  require(!none || !none->differs(), "F17: a file does not differ from itself");
}

std::vector<TableSchema> schemas_of(const Reader& reader) {
  std::vector<TableSchema> schemas;
  for (const TableDescriptor& table : reader.tables())
    schemas.push_back(table_schema(table, reader.schemas()[table.schema]));
  return schemas;
}

}  // namespace
}  // namespace hdb::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hdb;
  FuzzedDataProvider in(data, size);
  const Bytes& sound = fuzz::sound_files()[in.ConsumeIntegralInRange<std::size_t>(0, 3)];
  fuzz::SealedFile file = fuzz::any_sound_file(in);
  const DiffOptions options = fuzz::any_options(in);
  const Bytes bytes = fuzz::edited_and_sealed(std::move(file), in);
  const auto before = fuzz::opened(sound);
  const auto after = fuzz::opened(bytes);
  if (!after) return 0;
  fuzz::check_both(**before, **after, options);
  fuzz::check_alone(**after, options);
  static_cast<void>(compare_schemas(fuzz::schemas_of(**before), fuzz::schemas_of(**after)));
  static_cast<void>(compare_schemas(fuzz::schemas_of(**after), fuzz::schemas_of(**before)));
  return 0;
}
