// Puts and the ways back: every save is there again as it was, and costs only what changed.
#include "hdb/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/archive_parts.hpp"
#include "archive/game_world.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/file_system.hpp"
#include "support/source_folder.hpp"

namespace hdb::test::archive_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Archive, EverySaveIsTheFileThatWriteImageMakesOfIt) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world;
  std::vector<Snapshot> snapshots;
  for (int i = 0; i < 5; ++i) {
    if (i == 3) {  // other sizes of groups, free lists, strings
      for (int k = 0; k < 500; ++k) world.units.erase(world.units.handle_at(7));
      world.heroes.insert({.name = "a newcomer", .items = {1, 2, 3}});
    }
    world.step();
    snapshots.push_back(world.db.capture());
    const auto put = archive->put(snapshots.back(), {.world = "gate"});
    ASSERT_TRUE(succeeded(put));
    EXPECT_EQ(put->version, (ArchiveVersion{"gate", static_cast<std::uint64_t>(i + 1)}));
    EXPECT_EQ(put->state_hash, snapshots.back().state_hash());
  }
  // Also for an object that knows nothing yet.
  const auto again = Archive::open(folder / "a.hdba");
  ASSERT_TRUE(succeeded(again));
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const ArchiveVersion version{"gate", i + 1};
    for (Archive* each : {archive.get(), again->get()}) {
      auto source = each->source(version);
      ASSERT_TRUE(succeeded(source));
      const Bytes bytes = all_bytes(**source);
      const auto info = read_info(**source);
      ASSERT_TRUE(succeeded(info));
      EXPECT_EQ(bytes, plain_file(*snapshots[i].image({}), info->file_id)) << version.text();
    }
    GameWorld other(10, 1);
    auto source = archive->source(version);
    ASSERT_TRUE(succeeded(other.db.load(std::move(*source))));
    EXPECT_EQ(other.db.capture().state_hash(), snapshots[i].state_hash());
    const std::string path = folder / "out.hdb";
    const auto got = archive->get(version, path);
    ASSERT_TRUE(succeeded(got));
    EXPECT_EQ(got->state_hash, snapshots[i].state_hash());
    EXPECT_EQ(read_info(path)->state_hash, snapshots[i].state_hash());
  }
}

// The image of a save whose rows cannot be read.
class UnreadableImage : public ImageSource {
 public:
  explicit UnreadableImage(const ImageSource& image) : image_(image) {}
  [[nodiscard]] const Metadata& metadata() const override { return image_.metadata(); }
  [[nodiscard]] const Bytes& thumbnail() const override { return image_.thumbnail(); }
  [[nodiscard]] const std::vector<Field>& schemas() const override { return image_.schemas(); }
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const override {
    return image_.tables();
  }
  [[nodiscard]] Status read_group(std::size_t, std::uint64_t, bool, RowGroup&) const override {
    return tl::unexpected(Error{ErrorCode::bad_value, "a bool of 2"});
  }
  [[nodiscard]] Status read_free_list(std::size_t table, std::uint64_t first,
                                      std::span<std::uint32_t> out) const override {
    return image_.read_free_list(table, first, out);
  }

 private:
  const ImageSource& image_;
};

TEST(Archive, AnErrorOfTheImageDoesNotNameTheArchive) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world(100, 5);
  const Snapshot snapshot = world.db.capture();
  const auto image = snapshot.image({});
  const auto put = archive->put(UnreadableImage(*image), {});
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::bad_value);
  EXPECT_EQ(put.error().file, "") << put.error().message();
  EXPECT_THAT(put.error().message(), HasSubstr("save world/1"));
}

TEST(Archive, AnyPartOfASaveCanBeRead) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world(3000, 70);
  ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
  world.step();
  ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
  auto source = archive->source({"world", 2});
  ASSERT_TRUE(succeeded(source));
  const Bytes whole = all_bytes(**source);
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t offset = random.below(whole.size());
    Bytes part(random.below(std::min<std::size_t>(whole.size() - offset, 40'000)) + 1);
    part.resize(std::min(part.size(), whole.size() - offset));
    ASSERT_TRUE(succeeded((*source)->read_at(offset, part)));
    ASSERT_TRUE(
        std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(offset)))
        << offset << " " << part.size();
  }
  std::byte one{};
  EXPECT_EQ((*source)->read_at(whole.size(), {&one, 1}).error().code, ErrorCode::truncated);
}

TEST(Archive, CostsWhatChanged) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world;
  const auto first = archive->put(world.db.capture());
  ASSERT_TRUE(succeeded(first));
  EXPECT_EQ(first->reused_groups, 0u);
  world.step();
  const auto second = archive->put(world.db.capture());
  ASSERT_TRUE(succeeded(second));
  EXPECT_GT(second->reused_groups, 4u);
  EXPECT_LT(second->new_bytes * 50, first->new_bytes);
  // Nothing changed but the number: a manifest and nothing else.
  const auto third = archive->put(world.db.capture());
  ASSERT_TRUE(succeeded(third));
  EXPECT_EQ(third->new_objects, 0u);
  // Another object knows the saves only from the archive: it looks at everything, stores as little.
  const auto other = Archive::open(folder / "a.hdba");
  ASSERT_TRUE(succeeded(other));
  world.step();
  const auto fourth = (*other)->put(world.db.capture());
  ASSERT_TRUE(succeeded(fourth));
  EXPECT_EQ(fourth->reused_groups, 0u);
  EXPECT_LT(fourth->new_bytes * 50, first->new_bytes);
  // And another world shares all chunks.
  const auto elsewhere = (*other)->put(world.db.capture(), {.world = "copy"});
  ASSERT_TRUE(succeeded(elsewhere));
  EXPECT_EQ(elsewhere->new_objects, 0u);
}

TEST(Archive, ListsWhatMenusShow) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world(100, 1);
  const Metadata metadata = titled("The Gate", 41);
  ASSERT_TRUE(succeeded(archive->put(world.db.capture(), {.world = "b"}, metadata)));
  ASSERT_TRUE(succeeded(archive->put(world.db.capture(), {.world = "b"})));
  ASSERT_TRUE(succeeded(archive->put(world.db.capture(), {.world = "a", .sequence = 9})));
  const auto all = archive->list();
  ASSERT_TRUE(succeeded(all));
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].version, (ArchiveVersion{"a", 9}));
  EXPECT_EQ((*all)[1].version, (ArchiveVersion{"b", 41}));
  EXPECT_EQ((*all)[1].metadata, metadata);
  EXPECT_EQ((*all)[1].state_hash, world.db.capture().state_hash());
  EXPECT_EQ((*all)[2].version, (ArchiveVersion{"b", 42}));
  EXPECT_EQ(archive->list("a")->size(), 1u);
  EXPECT_EQ(*archive->latest("b"), (ArchiveVersion{"b", 42}));
  EXPECT_EQ(archive->latest("c").error().code, ErrorCode::version_not_found);
  EXPECT_EQ(archive->read({"b", 7}).error().code, ErrorCode::version_not_found);
  EXPECT_EQ(archive->read({"../b", 41}).error().code, ErrorCode::bad_world_name);
  EXPECT_EQ(archive->put(world.db.capture(), {.world = ".b"}).error().code,
            ErrorCode::bad_world_name);
  EXPECT_EQ(archive->put(Snapshot()).error().code, ErrorCode::bad_options);
}

TEST(Archive, APutWithoutANumberGoesAfterThePutsOfOthers) {
  const Folder folder(fast_parent());
  const auto one = new_archive(folder / "a.hdba");
  const auto two = new_archive(folder / "a.hdba");
  GameWorld world(100, 1);
  for (std::uint64_t number = 1; number <= 6; ++number) {
    world.step();
    const auto put = (number % 3 == 1 ? one : two)->put(world.db.capture());
    ASSERT_TRUE(succeeded(put));
    EXPECT_EQ(put->version.sequence, number);
  }
}

TEST(Archive, TheLoserLearnsWhoWon) {  // AR2
  const Folder folder(fast_parent());
  const auto one = new_archive(folder / "a.hdba");
  const auto two = Archive::open(folder / "a.hdba");
  ASSERT_TRUE(succeeded(two));
  GameWorld world(2000, 10);
  const Snapshot before = world.db.capture();
  world.step();
  ASSERT_TRUE(succeeded(one->put(before, {.sequence = 7}, titled("of the winner"))));
  const auto lost = (*two)->put(world.db.capture(), {.sequence = 7});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::version_exists);
  EXPECT_THAT(lost.error().message(), HasSubstr("'of the winner'"));
  EXPECT_THAT(lost.error().message(), HasSubstr(before.state_hash().hex()));
  EXPECT_THAT(lost.error().message(), HasSubstr("world/7"));
  // The winner's save is unchanged. To put the same save again is no error, so retries are safe.
  EXPECT_EQ((*two)->read({"world", 7}).value()->info().state_hash, before.state_hash());
  const auto retried = (*two)->put(before, {.sequence = 7}, titled("of the winner"));
  ASSERT_TRUE(succeeded(retried));
  EXPECT_TRUE(retried->already_stored);
}

// The saves of one number, each unlike the first in what the state hash leaves out.
struct OneStateWorld {
  Database db;
  Table<Tile>& tiles = db.create_table<Tile>("tiles");
  Table<Unit>& sparks = db.create_table<Unit>("sparks", {.scope = Scope::unhashed});
  Handle<Unit> spark = sparks.insert({.hp = 1});
  const Snapshot first = db.capture();

  Snapshot with_another_spark() {
    sparks.edit(spark)->hp = 2;
    return db.capture();
  }
};

TEST(Archive, ASaveThatDiffersOutsideOfTheStateHashIsAnother) {  // AR2
  const Folder folder(fast_parent());
  OneStateWorld world;
  const Snapshot other = world.with_another_spark();
  ASSERT_EQ(world.first.state_hash(), other.state_hash());
  const auto archive = new_archive(folder / "a.hdba");
  const auto target = new_archive(folder / "b.hdba");
  const Bytes icon(100, std::byte{7});
  const Metadata title = titled("the gate");
  const auto put = [&](Archive& into, const Snapshot& snapshot, const Bytes& thumbnail) {
    return into.put(snapshot, {.sequence = 7}, title, thumbnail);
  };
  ASSERT_TRUE(succeeded(put(*archive, world.first, icon)));
  EXPECT_TRUE(put(*archive, world.first, icon)->already_stored);
  for (const auto& [snapshot, thumbnail] :
       {std::pair(other, icon), std::pair(world.first, Bytes(100, std::byte{8}))}) {
    const auto lost = put(*archive, snapshot, thumbnail);
    ASSERT_FALSE(lost);
    EXPECT_EQ(code_name(lost.error().code), code_name(ErrorCode::version_exists));
    EXPECT_THAT(lost.error().message(), HasSubstr("with the same state hash"));
    ASSERT_TRUE(succeeded(put(*target, snapshot, thumbnail)));
    const auto copied = archive->copy_to(*target);
    ASSERT_TRUE(succeeded(copied));
    EXPECT_EQ(copied->already_stored, 0u);
    ASSERT_EQ(copied->lost.size(), 1u);
    EXPECT_EQ(code_name(copied->lost[0].error.code), code_name(ErrorCode::version_exists));
    ASSERT_TRUE(succeeded(target->remove({"world", 7})));
  }
  EXPECT_EQ(archive->copy_to(*target)->saves, 1u);
  EXPECT_EQ(archive->copy_to(*target)->already_stored, 1u);
}

TEST(Archive, ChainsAreBounded) {  // AR4
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world(2000, 1);
  std::vector<Hash128> hashes;
  for (int i = 0; i < 150; ++i) {
    world.step();
    const auto put = archive->put(world.db.capture());
    ASSERT_TRUE(succeeded(put));
    hashes.push_back(put->state_hash);
  }
  archive::ObjectStore store(std::shared_ptr<ArchiveBackend>(
                                 open_archive_file(folder / "a.hdba", {.create = true}).value()),
                             0);
  std::size_t longest = 0;
  std::size_t differences = 0;
  const auto listed = store.backend().list(kChunkKeys);
  ASSERT_TRUE(succeeded(listed));
  for (const ListedObject& object : *listed) {
    std::size_t steps = 0;
    for (auto id = *archive::id_of(object.key);; ++steps) {
      const auto stored = store.stored(id);
      ASSERT_TRUE(succeeded(stored));
      const auto parsed = archive::parse_object(**stored);
      ASSERT_TRUE(succeeded(parsed));
      if (!parsed->is_difference) break;
      id = parsed->base;
      ++differences;
    }
    longest = std::max(longest, steps);
  }
  EXPECT_GT(differences, 500u);
  EXPECT_GT(longest, 7u);
  EXPECT_LE(longest, archive::kMaxSteps);
  for (std::size_t i = 0; i < hashes.size(); i += 7) {
    GameWorld other(1, 1);
    ASSERT_TRUE(succeeded(other.db.load(*archive->source({"world", i + 1}))));
    ASSERT_EQ(other.db.capture().state_hash(), hashes[i]) << i;
  }
}

// A row group is one object up to a size, and an object for each column beyond.
TEST(Archive, RowGroupsMayGrowPastOneObject) {
  const Folder folder(fast_parent());
  std::vector<Hash128> hashes;
  std::size_t whole = 0;
  std::size_t split = 0;
  std::size_t lists = 0;
  {
    const auto archive = new_archive(folder / "a.hdba");
    GameWorld world(2000, 1);
    for (int i = 0; i < 40; ++i) {
      for (int k = 0; k < 500; ++k) {
        if (i < 20) {
          world.units.insert({.hp = k, .x = static_cast<double>(i)});
        } else {
          world.units.erase(world.units.handle_at(world.units.size() / 2));
        }
      }
      world.step();
      const auto put = archive->put(world.db.capture());
      ASSERT_TRUE(succeeded(put));
      hashes.push_back(put->state_hash);
      const auto sharing = archive->sharing("world");
      ASSERT_TRUE(succeeded(sharing));
      whole = split = lists = 0;
      for (const ArchiveShare& share : sharing->shares) {
        if (share.table != "units") continue;
        if (share.field == "(free list)") lists += share.objects;
        (share.field == "(whole row groups)" ? whole : split) += share.objects;
      }
      EXPECT_TRUE(i != 0 || (whole == 1 && split == 0));
    }
  }
  EXPECT_GT(whole, 5u);
  EXPECT_GT(split, 5u);
  EXPECT_GT(lists, 5u);
  auto archive = Archive::open(folder / "a.hdba");
  ASSERT_TRUE(succeeded(archive));
  const auto verified = (*archive)->verify();
  ASSERT_TRUE(succeeded(verified));
  EXPECT_TRUE(verified->faults.empty());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    GameWorld other(1, 1);
    ASSERT_TRUE(succeeded(other.db.load(*(*archive)->source({"world", i + 1}))));
    ASSERT_EQ(other.db.capture().state_hash(), hashes[i]) << i;
  }
}

// Its row groups are objects of each column; new saves of the same world have whole ones.
TEST(Archive, GoesOnAfterSavesOfVersion1) {
  const Folder folder(fast_parent());
  std::filesystem::copy_file(in_sources("fixtures/archives/version_1.hdba"), folder / "a.hdba");
  auto opened = Archive::open(folder / "a.hdba");
  ASSERT_TRUE(succeeded(opened));
  Archive& archive = **opened;
  const char* const hashes[] = {"b877e957584ebe709680ed93216ce8bd",
                                "a292e116d8f9ed891f811b85e473fd8c",
                                "2222a22403e4a76062c614c9e62a6e78"};
  for (std::uint64_t number : {1U, 2U, 3U, 1U, 2U}) {
    auto reader = archive.read({"gate", number});
    ASSERT_TRUE(succeeded(reader));
    const auto put = archive.put(*image_of(*std::move(reader)), {.world = "gate"});
    ASSERT_TRUE(succeeded(put));
    EXPECT_EQ(put->state_hash.hex(), hashes[number - 1]);
    const auto back = archive.read(put->version);
    ASSERT_TRUE(succeeded(back));
    EXPECT_EQ((*back)->tables()[0].live_count, 900U);
  }
  const auto verified = archive.verify();
  ASSERT_TRUE(succeeded(verified));
  EXPECT_EQ(verified->saves, 16U);
  EXPECT_TRUE(verified->faults.empty());
}

TEST(Archive, KeepsFilesAndWhatItDoesNotKnowOfThem) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  World world;
  world.churn(200, 5);
  SaveOptions options;
  options.metadata = titled("churned", 3);
  options.thumbnail = pattern(5000, 1);
  ASSERT_TRUE(succeeded(save(world.db.capture(), folder / "in.hdb", options)));
  auto reader = Reader::open(FileSource::open(folder / "in.hdb").value());
  ASSERT_TRUE(succeeded(reader));
  const std::shared_ptr<const Reader> shared = std::move(*reader);
  const auto put = archive->put(*image_of(shared));
  ASSERT_TRUE(succeeded(put));
  EXPECT_EQ(put->version.sequence, 3u);
  const auto back = archive->read(put->version, {.verify_raw_hashes = true});
  ASSERT_TRUE(succeeded(back));
  EXPECT_EQ((*back)->info().metadata, options.metadata);
  EXPECT_EQ((*back)->info().state_hash, shared->info().state_hash);
  EXPECT_EQ(*(*back)->read_thumbnail(), options.thumbnail);
  for (std::size_t i = 0; i < (*back)->blocks().size(); ++i)
    EXPECT_TRUE(succeeded((*back)->check_block(i)));
}

TEST(Archive, AnAutosaverWritesToItAsToAFile) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world(5000, 20);
  Autosaver autosaver;
  const SaveTarget target = archive_target(*archive, "auto");
  std::vector<Hash128> hashes;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    world.step();
    SaveOptions options;
    options.metadata.sequence = i;
    const Saving ticket = autosaver.save(world.db.capture(), target, options);
    ASSERT_TRUE(succeeded(ticket.result()));
    EXPECT_EQ(ticket.result()->outcome, SaveOutcome::durable);
    EXPECT_EQ(ticket.result()->path, "auto/" + std::to_string(i));
    hashes.push_back(ticket.result()->state_hash);
  }
  const auto all = archive->list("auto");
  ASSERT_TRUE(succeeded(all));
  ASSERT_EQ(all->size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ((*all)[i].state_hash, hashes[i]);
}

// As two autosavers of one world whose saves end in the wrong order.
TEST(Archive, OfTwoCapturesWithoutANumberTheNewerIsTheLastSave) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world(100, 2);
  const Snapshot first = world.db.capture();
  world.step();
  const Snapshot second = world.db.capture();
  Autosaver one;
  Autosaver two;
  const Saving newer = one.save(second, archive_target(*archive, "auto"));
  ASSERT_TRUE(succeeded(newer.result()));
  const Saving older = two.save(first, archive_target(*archive, "auto"));
  EXPECT_EQ(older.result().error().code, ErrorCode::superseded);
  EXPECT_EQ(archive->latest("auto")->sequence, 1u);
  // With a number, and in another world, it is a save as any other.
  ASSERT_TRUE(succeeded(archive->put(first, {.world = "auto", .sequence = 7})));
  ASSERT_TRUE(succeeded(archive->put(first, {.world = "other"})));
  GameWorld stranger(100, 2);
  ASSERT_TRUE(succeeded(archive->put(stranger.db.capture(), {.world = "auto"})));
  SaveOptions options;
  options.expected = Hash128{};
  const Saving refused = one.save(second, archive_target(*archive, "auto"), options);
  EXPECT_EQ(refused.result().error().code, ErrorCode::bad_options);
}

TEST(Archive, CancelAndProgressAreThoseOfAnySave) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world(40'000, 10);
  std::atomic<bool> cancel{false};
  ArchivePutOptions options;
  options.write.cancel = &cancel;
  options.write.threads = 2;
  std::uint64_t calls = 0;
  options.write.on_progress = [&](const Progress& progress) {
    if (++calls == 2) cancel = true;
    EXPECT_LE(progress.groups_done, progress.groups_total);
  };
  EXPECT_EQ(archive->put(world.db.capture(), options).error().code, ErrorCode::cancelled);
  EXPECT_EQ(archive->versions()->size(), 0u);
  cancel = false;
  options.write.on_progress = {};
  const auto put = archive->put(world.db.capture(), options);
  ASSERT_TRUE(succeeded(put));
  EXPECT_EQ(archive->read(put->version).value()->info().state_hash,
            world.db.capture().state_hash());
}

}  // namespace
}  // namespace hdb::test::archive_test
