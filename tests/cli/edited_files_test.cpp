// Edited files whose hashes fit again, through the commands that edit, query, follow and repair:
// whatever a file says, they end with a status and a message that names what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "format/forge.hpp"
#include "format/sample.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/folder.hpp"
#include "support/records.hpp"
#include "support/scale.hpp"

namespace hdb::test::edited_files_test {
namespace {

// Every kind of field, handles between the records, a thumbnail; nothing is compressed.
Bytes sound_file(bool packs) {
  MemoryImage image;
  image.meta = {"kinds", 1, -5, 7, {{"k", "v"}}};
  image.thumb = Bytes(100, std::byte{0x89});
  image.schema_list = {every_kind(), plain_schema()};
  image.add(random_table(image.schema_list[0], {.name = "things", .slots = 30}));
  TablePolicy stable;
  stable.storage = Storage::stable;
  image.add(random_table(image.schema_list[1],
                         {.name = "worms", .schema = 1, .policy = stable, .slots = 90}));
  return written(image, {.codec = Codec::none, .filters = false, .packs = packs});
}

// Changes, inserts or erases a byte, or puts a number in.
void edit(Bytes& bytes, Random& random) {
  if (bytes.empty()) return;
  const std::size_t at = random.below(bytes.size());
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  constexpr unsigned kCorners[] = {0, 1, 2, 0x7f, 0x80, 0xff};
  const auto corner = static_cast<std::byte>(kCorners[random.below(6)]);
  switch (random.below(6)) {
    case 0: *place ^= static_cast<std::byte>(1U << random.below(8)); return;
    case 1: bytes.insert(place, corner); return;
    case 2: bytes.erase(place); return;
    case 3:
      for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i) bytes[i] = corner;
      return;
    case 4: *place = static_cast<std::byte>(random.below(256)); return;
    default: *place = corner;
  }
}

Bytes edited(ForgedFile file, Random& random) {
  for (std::uint64_t left = 1 + random.below(3); left != 0; --left) {
    std::size_t at = random.below(file.blocks.size());
    // Rather a column: most edits of a catalog only make the file unreadable.
    if (!format::is_indexed(file.blocks[at].head.info)) at = random.below(file.blocks.size());
    ForgedBlock& block = file.blocks[at];
    if (!format::is_indexed(block.head.info)) {
      const bool fits = block.head.info.raw_bytes == block.payload.size();
      edit(block.payload, random);
      if (fits) block.head.info.raw_bytes = block.payload.size();
      continue;
    }
    auto chunks = file.chunks(at);
    if (chunks.empty()) continue;
    ForgedChunk& chunk = chunks[random.below(chunks.size())];
    edit(chunk.stored, random);
    chunk.entry.info.raw_bytes = chunk.stored.size();
    chunk.entry.info.raw_hash = hash128(chunk.stored);
    file.set_chunks(at, chunks);
  }
  return file.sealed();
}

void write(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

struct Ended {
  int status = 0;
  std::string lines;
  std::string messages;
};

Ended run(const std::vector<std::string>& words) {
  std::vector<const char*> line{"hdbinspect"};
  for (const std::string& word : words) line.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ended ended;
  ended.status = inspect::run_command_line(static_cast<int>(line.size()), line.data());
  ended.lines = testing::internal::GetCapturedStdout();
  ended.messages = testing::internal::GetCapturedStderr();
  return ended;
}

TEST(EditedFiles, EndInAStatusAndAMessageInEveryCommand) {
  const Folder folder;
  const std::string sound = folder / "sound.hdb";
  const std::string file = folder / "edited.hdb";
  const std::string out = folder / "out.hdb";
  const std::string archive = folder / "all.hdba";
  const std::vector<std::vector<std::string>> commands{
      {"export", file, "-o", folder / "out.sqlite", "--force"},
      {"sql", file, "select * from things limit 3"},
      {"sql", file, "select count(*) from things a join things b on a.target = b.handle"},
      {"dump", file, "-w", "target.f9 < 10 or target is stale or owned is stale"},
      {"dump", file, "-w", "by_name['x'].a > 1 or not (by_name['y'] is null)"},
      {"dump", file, "-t", "things", "--sort=target.f9,-size(items),by_name['x'].a"},
      {"dump", file, "-t", "things", "--sort=-raw", "--limit", "3", "--format=csv"},
      {"get", file, "things:1", "things:2.by_name['x']"},
      {"set", file, "things[f9 != 3].f9=3", "things:1.raw=x", "-o", out, "--force"},
      {"set", file, "things[*].items=[[1]]", "-o", out, "--force"},
      {"log", sound, file},
      {"log", sound, file, "--leaks", "--grew=1"},
      {"plot", sound, file, "things", "-o", folder / "out.html", "--force"},
      {"plot", sound, file, "things:1.f9", "-o", folder / "out.html", "--force"},
      {"repair", file, "--from", sound, "-o", out, "--force"},
      {"repair", sound, "--from", file, "-o", out, "--force"},
      {"archive", "put", archive, file, "--world", "w"},
      {"archive", "get", archive + "@w", "-o", out, "--force"},
      {"info", file, "--thumbnail", folder / "out.png", "--force"},
  };
  std::array<int, 4> statuses{};
  int opened = 0;
  const std::size_t edits = scaled(2000);
  for (std::size_t seed = 0; seed < edits; ++seed) {
    Random random(seed + 1);
    const Bytes base = sound_file(seed % 4 == 0);
    const Bytes bytes = seed < 2 ? base : edited(ForgedFile(base), random);
    write(sound, base);
    write(file, bytes);
    if (open_bytes(bytes)) ++opened;
    std::filesystem::remove(archive);
    for (const auto& words : commands) {
      SCOPED_TRACE(testing::Message() << "edit " << seed << ": " << testing::PrintToString(words));
      const auto begin = std::chrono::steady_clock::now();
      const Ended done = run(words);
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
      ASSERT_TRUE(done.status >= 0 && done.status <= 3) << done.status;
      ++statuses[static_cast<std::size_t>(done.status)];
      if (done.messages.find("HDB-E1008") != std::string::npos) continue;
      EXPECT_LE(done.status, seed < 2 ? 1 : 3) << "a mistake of the test: " << done.messages;
      EXPECT_THAT(done.messages, testing::Not(testing::HasSubstr("report this as a bug")));
      if (done.status >= 2) {
        EXPECT_THAT(done.messages, testing::StartsWith("hdbinspect: "));
        EXPECT_THAT(done.messages,
                    testing::AnyOf(testing::HasSubstr("HDB-E"), testing::HasSubstr(file)));
      }
      if (done.status <= 1 && std::filesystem::exists(out)) {
        const Ended checked = run({"validate", out});
        EXPECT_EQ(checked.status, 0) << "written: " << checked.messages << checked.lines;
      }
      std::filesystem::remove(out);
      if (testing::Test::HasFailure()) return;
    }
  }
  std::printf("cases=%zu failures=0 (%d of %zu files open; status 0: %d, 1: %d, 2: %d, 3: %d)\n",
              edits * commands.size(), opened, edits, statuses[0], statuses[1], statuses[2],
              statuses[3]);
}

}  // namespace
}  // namespace hdb::test::edited_files_test
