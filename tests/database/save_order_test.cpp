// Two saves of one target: the newer capture stays whatever ends last, and no save replaces a file
// that it does not expect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autosaver_world.hpp"
#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "support/records.hpp"

namespace hdb::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A save that was asked for and runs when the test says so.
using Asked = std::function<Result<SaveReport>()>;

struct Route {
  const char* name;
  std::function<Asked(const Snapshot&, const SaveOptions&)> ask;
};

// Every way of saving to the save "gate" of a folder, which is the file "slot-gate.hdb". The paths
// differ in spelling.
class Routes {
 public:
  explicit Routes(const Folder& folder, unsigned keep = 0) {
    const std::string path = folder / "slot-gate.hdb";
    std::filesystem::create_directory_symlink(folder.path(), folder / "link");
    const std::string linked = folder / "link/./slot-gate.hdb";
    auto opened = SaveDirectory::open(folder.path(), {.keep = keep});
    auto other = SaveDirectory::open(folder / "link", {.keep = keep});
    const auto saves = std::make_shared<SaveDirectory>(*std::move(opened));
    const auto linked_saves = std::make_shared<SaveDirectory>(*std::move(other));
    all = {
        {"save",
         [path](const Snapshot& what, const SaveOptions& how) -> Asked {
           return [=] { return save(what, path, how); };
         }},
        {"save_async",
         [linked](const Snapshot& what, const SaveOptions& how) {
           return waiting([&](const SaveOptions& own) { return save_async(what, linked, own); },
                          how);
         }},
        {"SaveDirectory::save",
         [saves](const Snapshot& what, const SaveOptions& how) -> Asked {
           return [=] { return saves->save(what, "gate", how); };
         }},
        {"save_async to a SaveDirectory",
         [linked_saves](const Snapshot& what, const SaveOptions& how) {
           return waiting(
               [&](const SaveOptions& own) {
                 return save_async(what, linked_saves->target("gate"), own);
               },
               how);
         }},
        {"Autosaver",
         [path](const Snapshot& what, const SaveOptions& how) {
           return queued(what, SaveTarget(path), how);
         }},
        {"Autosaver of a SaveDirectory",
         [saves](const Snapshot& what, const SaveOptions& how) {
           return queued(what, saves->target("gate"), how);
         }},
    };
  }
  std::vector<Route> all;

 private:
  template <class Start>
  static Asked waiting(const Start& start, const SaveOptions& how) {
    const auto tasks = std::make_shared<Tasks>();
    SaveOptions own = how;
    own.background = tasks->options().background;
    const auto saving = std::make_shared<Saving>(start(own));
    return [=] {
      tasks->run();
      return saving->result();
    };
  }
  static Asked queued(const Snapshot& what, const SaveTarget& target, const SaveOptions& how) {
    const auto tasks = std::make_shared<Tasks>();
    const auto autosaver = std::make_shared<Autosaver>(tasks->options());
    const Saving ticket = autosaver->save(what, target, how);
    return [=] {
      tasks->run();
      static_cast<void>(autosaver);
      return ticket.result();
    };
  }
};

std::size_t backups_in(const Folder& folder) {
  const auto names = folder.names();
  return static_cast<std::size_t>(std::count(names.begin(), names.end(), "slot-gate.hdb.1"));
}

TEST(SaveOrder, OfTwoCapturesTheNewerStaysWhateverEndsLast) {
  std::size_t cases = 0;
  const Folder parent(fast_parent());
  std::filesystem::create_directory(parent / "x");
  const std::size_t count = Routes(parent).all.size();
  for (std::size_t first = 0; first < count; ++first) {
    for (std::size_t second = 0; second < count; ++second) {
      for (const bool older_ends_last : {false, true}) {
        const Folder folder(fast_parent());
        Routes routes(folder, 1);
        AutosaverWorld world;
        const Asked older = routes.all[first].ask(world.at(1), {});
        const Asked newer = routes.all[second].ask(world.at(2), {});
        SCOPED_TRACE(std::string(routes.all[first].name) + ", then " + routes.all[second].name);
        if (!older_ends_last) {
          EXPECT_EQ(code(older()), kSaved);
        }
        EXPECT_EQ(code(newer()), kSaved);
        const std::size_t backups = backups_in(folder);
        if (older_ends_last) {
          const auto late = older();
          EXPECT_EQ(code(late), ErrorCode::superseded);
          EXPECT_THAT(late.error().message(), HasSubstr("slot-gate.hdb"));
        }
        EXPECT_EQ(tick_in(folder / "slot-gate.hdb"), 2u);
        EXPECT_EQ(backups_in(folder), backups) << "of a save that changed nothing";
        EXPECT_FALSE(folder.has_temporary());
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 72u);
  std::printf("captures in the wrong order: cases=%zu failures=%d\n", cases, HasFailure() ? 1 : 0);
}

TEST(SaveOrder, AnOlderStateIsSavedWhenItIsCapturedAgainOrNothingNewerIsThere) {
  const Folder folder(fast_parent());
  AutosaverWorld world;
  const Snapshot first = world.at(1);
  const Snapshot second = world.at(2);
  ASSERT_TRUE(save(second, folder / "a"));
  EXPECT_EQ(code(save(first, folder / "a")), ErrorCode::superseded);
  EXPECT_EQ(code(save(second, folder / "a")), kSaved);
  ASSERT_TRUE(world.db.restore(first));
  EXPECT_EQ(code(save(world.db.capture(), folder / "a")), kSaved);
  EXPECT_EQ(tick_in(folder / "a"), 1u);
  std::filesystem::remove(folder / "a");
  EXPECT_EQ(code(save(first, folder / "a")), kSaved);
  // Another program's file: how old its capture is cannot be compared.
  put(folder / "b", "not a save");
  EXPECT_EQ(code(save(first, folder / "b")), kSaved);
}

TEST(SaveOrder, ARingTakesNoCaptureThatIsOlderThanItsNewest) {
  for (const bool same_object : {true, false}) {
    const Folder folder(fast_parent());
    auto saves = SaveDirectory::open(folder.path());
    auto others = same_object ? saves : SaveDirectory::open(folder.path());
    AutosaverWorld world;
    Tasks tasks;
    Autosaver autosaver(tasks.options());
    ASSERT_TRUE(saves->save(world.at(1), SaveName::autosave()));
    const Saving delayed = autosaver.save(world.at(2), saves->target(SaveName::autosave()));
    const Saving quick = autosaver.save(world.at(3), saves->target(SaveName::quick()));
    ASSERT_TRUE(others->save(world.at(4), SaveName::autosave()));
    tasks.run();
    EXPECT_EQ(code(delayed), ErrorCode::superseded);
    EXPECT_EQ(code(quick), kSaved) << "another ring";
    EXPECT_THAT(folder.names(), ElementsAre("auto-1.hdb", "auto-2.hdb", "quick-1.hdb"));
    ASSERT_TRUE(saves->load(world.db, SaveName::autosave()));
    EXPECT_EQ(world.clock->tick, 4u);
  }
}

TEST(SaveOrder, AnAutosaverTakesNoOlderCaptureAfterANewerOneOfAnyTarget) {
  AutosaverWorld world;
  std::vector<std::uint64_t> written;
  const auto target_at = [&](std::uint64_t tick) {
    return SaveTarget("memory", [&written, tick](const Snapshot&, const SaveOptions&) {
      written.push_back(tick);
      return Result<SaveReport>(SaveReport());
    });
  };
  const Snapshot first = world.at(1);
  const Snapshot second = world.at(2);
  const Snapshot third = world.at(3);
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  const Saving newer = autosaver.save(second, target_at(2));
  const Saving older = autosaver.save(first, target_at(1));
  EXPECT_EQ(code(older), ErrorCode::superseded);
  EXPECT_FALSE(newer.done());
  tasks.run();
  EXPECT_EQ(code(newer), kSaved);
  const Saving late = autosaver.save(first, target_at(1));
  const Saving next = autosaver.save(third, target_at(3));
  tasks.run();
  EXPECT_EQ(code(late), ErrorCode::superseded);
  EXPECT_EQ(code(next), kSaved);
  const Saving last = autosaver.save(second, target_at(2));
  tasks.run();
  EXPECT_EQ(code(last), ErrorCode::superseded);
  EXPECT_THAT(written, ElementsAre(2u, 3u));
}

// --- SaveOptions::expected

// A program that loaded the save "gate".
struct Player {
  explicit Player(const Folder& folder) {
    const auto loaded = world.db.load(folder / "slot-gate.hdb");
    if (loaded) options.expected = loaded->info.file_id;
  }
  AutosaverWorld world;
  SaveOptions options;
};

TEST(SaveExpected, OfTwoProgramsThatLoadedOneSaveTheSecondReplacesNothing) {
  std::size_t cases = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const Folder folder(fast_parent());
    Routes routes(folder, 1);
    SCOPED_TRACE(routes.all[i].name);
    AutosaverWorld before;
    ASSERT_TRUE(save(before.at(100), folder / "slot-gate.hdb"));
    Player one(folder);
    Player two(folder);
    ASSERT_TRUE(one.options.expected && two.options.expected);
    const auto saved = routes.all[i].ask(one.world.at(101), one.options)();
    ASSERT_EQ(code(saved), kSaved) << saved.error().message();
    EXPECT_EQ(saved->file_id, read_info(folder / "slot-gate.hdb")->file_id);
    const std::string bytes = get(folder / "slot-gate.hdb");
    const auto names = folder.names();
    const auto refused = routes.all[i].ask(two.world.at(2), two.options)();
    EXPECT_EQ(code(refused), ErrorCode::superseded);
    EXPECT_THAT(refused.error().message(), HasSubstr("slot-gate.hdb"));
    EXPECT_TRUE(get(folder / "slot-gate.hdb") == bytes);
    EXPECT_EQ(folder.names(), names);
    // The first program goes on from its own save.
    one.options.expected = saved->file_id;
    EXPECT_EQ(code(routes.all[i].ask(one.world.at(102), one.options)()), kSaved);
    EXPECT_EQ(tick_in(folder / "slot-gate.hdb"), 102u);
    ++cases;
  }
  EXPECT_EQ(cases, 6u);
}

TEST(SaveExpected, SavesOfOneAutosaverMayAllExpectTheFileThatWasLoaded) {
  const Folder folder(fast_parent());
  AutosaverWorld before;
  ASSERT_TRUE(save(before.at(100), folder / "slot-gate.hdb"));
  Player one(folder);
  Player two(folder);
  Tasks tasks;
  Autosaver autosaver(tasks.options());
  Autosaver of_two(tasks.options());
  for (std::uint64_t tick = 101; tick < 104; ++tick) {
    const Saving ticket = autosaver.save(one.world.at(tick), folder / "slot-gate.hdb", one.options);
    tasks.run();
    EXPECT_EQ(code(ticket), kSaved);
  }
  const Saving refused = of_two.save(two.world.at(2), folder / "slot-gate.hdb", two.options);
  tasks.run();
  EXPECT_EQ(code(refused), ErrorCode::superseded);
  // A third program saves: from now on the first one is refused.
  ASSERT_TRUE(save(before.at(7), folder / "slot-gate.hdb"));
  const Saving late = autosaver.save(one.world.at(104), folder / "slot-gate.hdb", one.options);
  tasks.run();
  EXPECT_EQ(code(late), ErrorCode::superseded);
  EXPECT_EQ(tick_in(folder / "slot-gate.hdb"), 7u);
}

TEST(SaveExpected, IsCheckedJustBeforeTheFileIsReplaced) {
  const Folder folder(fast_parent());
  AutosaverWorld before;
  ASSERT_TRUE(save(before.at(100), folder / "slot-gate.hdb"));
  ASSERT_TRUE(save(before.at(5), folder / "other"));
  const std::string other = get(folder / "other");
  Player player(folder);
  player.options.write.on_progress = [&](const Progress&) {
    std::filesystem::copy_file(folder / "other", folder / "slot-gate.hdb",
                               std::filesystem::copy_options::overwrite_existing);
  };
  EXPECT_EQ(code(save(player.world.at(101), folder / "slot-gate.hdb", player.options)),
            ErrorCode::superseded);
  EXPECT_TRUE(get(folder / "slot-gate.hdb") == other);
}

TEST(SaveExpected, AFileThatIsGoneDamagedNewOrUnreadableIsNotReplaced) {
  const Folder folder(fast_parent());
  const std::string path = folder / "slot-gate.hdb";
  WrappedFileSystem files;
  AutosaverWorld world;
  SaveOptions options;
  options.file.file_system = &files;
  options.expected = Hash128{};  // no file may be there
  const auto first = save(world.at(1), path, options);
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_EQ(code(save(world.at(2), path, options)), ErrorCode::superseded);
  options.expected = first->file_id;
  files.before = [](Call call) {
    return call == Call::open_for_reading ? std::optional(EACCES) : std::nullopt;
  };
  options.file.read_back = ReadBack::never;
  EXPECT_EQ(code(save(world.at(2), path, options)), ErrorCode::permission_denied);
  files.before = nullptr;
  const std::string bytes = get(path);
  put(path, "not a save");
  EXPECT_EQ(code(save(world.at(2), path, options)), ErrorCode::superseded);
  EXPECT_EQ(get(path), "not a save");
  std::filesystem::remove(path);
  EXPECT_EQ(code(save(world.at(2), path, options)), ErrorCode::superseded);
  EXPECT_EQ(folder.names().size(), 0u);
  put(path, bytes);
  EXPECT_EQ(code(save(world.at(2), path, options)), kSaved);
}

TEST(SaveExpected, ARingReplacesItsOldestFileAndRefusesTheOption) {
  const Folder folder(fast_parent());
  auto saves = SaveDirectory::open(folder.path());
  AutosaverWorld world;
  SaveOptions options;
  options.expected = Hash128{};
  EXPECT_EQ(code(saves->save(world.at(1), SaveName::quick(), options)), ErrorCode::bad_options);
  EXPECT_EQ(folder.names().size(), 0u);
}

}  // namespace
}  // namespace hdb::test
