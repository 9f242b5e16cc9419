// A read that fails, wherever it is, is reported as what it is, and never overlooked.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "format/small_file.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/salvage.hpp"
#include "inspect/swept_file.hpp"

namespace hdb::test {
namespace read_faults_test {
namespace {

// The read of this number fails, once.
class FailingSource final : public ByteSource {
 public:
  FailingSource(std::span<const std::byte> bytes, std::size_t& reads, std::size_t failing)
      : source_(MemorySource::borrowing(bytes)), reads_(reads), failing_(failing) {}

  Result<std::uint64_t> size() override { return source_.size(); }
  Status read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (reads_++ == failing_) return fail(ErrorCode::io_failed, "the disk is broken");
    return source_.read_at(offset, out);
  }

 private:
  MemorySource source_;
  std::size_t& reads_;
  std::size_t failing_;
};

using Use = std::function<Status(std::unique_ptr<ByteSource>)>;

// Returns the number of reads.
std::size_t fail_each_read(const Bytes& file, const Use& use) {
  std::size_t reads = 0;
  const Status sound = use(std::make_unique<FailingSource>(file, reads, ~std::size_t{0}));
  EXPECT_TRUE(sound) << sound.error().message();
  for (std::size_t i = 0; i < reads; ++i) {
    std::size_t count = 0;
    const Status status = use(std::make_unique<FailingSource>(file, count, i));
    EXPECT_GT(count, i);
    EXPECT_EQ(status ? "no error" : std::string(code_name(status.error().code)), "io_failed")
        << "read " << i << " of " << reads << ": " << (status ? "" : status.error().message());
  }
  return reads;
}

Status read_all(std::unique_ptr<ByteSource> source) {
  auto opened = Reader::open(std::move(source));
  if (!opened) return fail(std::move(opened.error()));
  const Reader& reader = **opened;
  RowGroup group;
  for (std::size_t i = 0; i < reader.tables().size(); ++i) {
    const std::uint32_t first_column[] = {0};
    for (std::uint64_t k = 0; k < reader.tables()[i].group_count(); ++k) {
      if (Status status = reader.read_group(i, k, group); !status) return status;
      if (Status status = reader.read_columns(i, k, first_column, group); !status) return status;
      if (auto chunks = reader.chunks(i, k); !chunks) return fail(std::move(chunks.error()));
    }
    if (auto list = reader.read_free_list(i); !list) return fail(std::move(list.error()));
  }
  return check_other_blocks(reader);
}

Status salvage_all(std::unique_ptr<ByteSource> source) {
  auto salvaged = salvage(std::move(source));
  if (!salvaged) return fail(std::move(salvaged.error()));
  MemorySink sink;
  const auto report = write_image(*salvaged->image, sink);
  if (!report) return fail(report.error());
  // A disk that cannot be read is a reason for a loss, as damage is; but it is reported.
  for (const FrameFault& fault : salvaged->faults) return fail(fault.error);
  for (const TableSalvage& table : salvaged->tables) {
    for (const LostGroups& lost : table.lost_groups) return fail(lost.error);
    for (const Error& fault : table.free_list_faults) return fail(fault);
  }
  return {};
}

TEST(ReadFaults, AReaderReportsEach) {
  std::size_t reads = 0;
  for (const bool packs : {false, true})
    reads += fail_each_read(build_swept({.packs = packs}), read_all);
  reads += fail_each_read(written(small_image()), read_all);
  EXPECT_GE(reads, 50U);
  std::printf("G16 failing reads of a reader: cases=%zu failures=%d\n", reads,
              HasFailure() ? 1 : 0);
}

TEST(ReadFaults, ARepairReportsEach) {
  std::size_t reads = 0;
  for (const bool packs : {false, true})
    reads += fail_each_read(build_swept({.packs = packs}), salvage_all);
  EXPECT_GE(reads, 30U);
  std::printf("G16 failing reads of a repair: cases=%zu failures=%d\n", reads,
              HasFailure() ? 1 : 0);
}

TEST(ReadFaults, ReadInfoReportsEach) {
  const auto info = [](std::unique_ptr<ByteSource> source) -> Status {
    auto read = read_info(*source);
    if (!read) return fail(std::move(read.error()));
    return {};
  };
  EXPECT_GE(fail_each_read(build_swept({}), info), 3U);
}

}  // namespace
}  // namespace read_faults_test
}  // namespace hdb::test
