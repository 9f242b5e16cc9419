// MemorySource: whose bytes it reads.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hdb/io.hpp"

namespace hdb::test::memory_source_test {
namespace {

Bytes all_of(ByteSource& source) {
  Bytes bytes(static_cast<std::size_t>(source.size().value()));
  EXPECT_TRUE(source.read_at(0, bytes));
  return bytes;
}

const Bytes kOld(100, std::byte{1});

TEST(MemorySource, KeepsTheBytesItWasGiven) {
  Bytes bytes = kOld;
  MemorySource source(bytes);
  bytes.assign(bytes.size(), std::byte{2});  // in place
  EXPECT_EQ(all_of(source), kOld);
  auto sink = std::make_unique<MemorySink>();
  ASSERT_TRUE(sink->write(kOld));
  MemorySource of_sink(sink->bytes());
  sink.reset();
  EXPECT_EQ(all_of(of_sink), kOld);
}

TEST(MemorySource, TakesBytesThatAreGivenUpWithoutACopy) {
  Bytes bytes = kOld;
  const std::byte* const where = bytes.data();
  const auto shared = std::make_shared<const Bytes>(std::move(bytes));
  EXPECT_EQ(shared->data(), where);
  MemorySource source{Bytes(kOld)};
  MemorySource one(shared);
  MemorySource copy = one;
  EXPECT_EQ(shared.use_count(), 3);
  for (MemorySource* const each : {&source, &one, &copy}) EXPECT_EQ(all_of(*each), kOld);
}

TEST(MemorySource, ThatBorrowsReadsWhatIsThereNow) {
  Bytes bytes = kOld;
  MemorySource source = MemorySource::borrowing(bytes);
  bytes[7] = std::byte{9};
  EXPECT_EQ(all_of(source), bytes);
}

TEST(MemorySource, DoesNotReadBehindItsEnd) {
  MemorySource source(kOld);
  Bytes out(10);
  EXPECT_TRUE(source.read_at(90, out));
  EXPECT_EQ(source.read_at(91, out).error().code, ErrorCode::truncated);
  EXPECT_EQ(source.read_at(~std::uint64_t{0}, out).error().code, ErrorCode::truncated);
}

}  // namespace
}  // namespace hdb::test::memory_source_test
