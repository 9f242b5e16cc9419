// Undo and redo in an editor: a snapshot for each step. What a step did is read from two of them.
#include <hdb/hdb.hpp>
#include <hdb/inspect/snapshot_diff.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Tree {
  std::int32_t x = 0, y = 0;
  hdb::Handle<Tree> beside = {};
};

int failed(const std::string& what) {
  std::fprintf(stderr, "editor_undo: %s\n", what.c_str());
  return 1;
}

// The states before and after each step. Snapshots share all that did not change.
class Steps {
 public:
  explicit Steps(hdb::Database& db) : db_(db), states_{{"open", db.capture()}} {}

  void done(std::string name) {
    states_.resize(present_ + 1);  // a new step ends what could be redone
    states_.push_back({std::move(name), db_.capture()});
    ++present_;
  }
  [[nodiscard]] hdb::Result<bool> undo() { return present_ == 0 ? false : go(present_ - 1); }
  [[nodiscard]] hdb::Result<bool> redo() {
    return present_ + 1 == states_.size() ? false : go(present_ + 1);
  }
  // A line for each step, for the list in the editor.
  [[nodiscard]] hdb::Status print() const {
    for (std::size_t i = 1; i < states_.size(); ++i) {
      const auto difference = hdb::diff(states_[i - 1].second, states_[i].second);
      if (!difference) return hdb::fail(difference.error());
      std::printf("%s %-5s %s\n", i <= present_ ? " " : "x", states_[i].first.c_str(),
                  difference->first().c_str());
    }
    return {};
  }

 private:
  // The same handles name the same trees again, so selections and links in the editor stay right.
  hdb::Result<bool> go(std::size_t state) {
    if (auto restored = db_.restore(states_[state].second); !restored) {
      return hdb::fail(restored.error());
    }
    present_ = state;
    return true;
  }

  hdb::Database& db_;
  std::vector<std::pair<std::string, hdb::Snapshot>> states_;
  std::size_t present_ = 0;
};

}  // namespace

int main() {
  hdb::Database db;
  auto& trees = db.create_table<Tree>("trees");
  Steps steps(db);

  const auto oak = trees.insert({.x = 3, .y = 4});
  steps.done("plant");
  const auto elm = trees.insert({.x = 5, .y = 4, .beside = oak});
  steps.done("plant");
  trees.edit(oak)->x = 8;
  steps.done("move");
  trees.erase(oak);
  steps.done("fell");
  if (trees.contains(trees.at(elm).beside)) return failed("the felled oak is still found");

  for (int i = 0; i < 2; ++i) {
    if (const auto undone = steps.undo(); !undone || !*undone) return failed("undo");
  }
  if (const auto printed = steps.print(); !printed) return failed(printed.error().message());
  if (trees.at(trees.at(elm).beside).x != 3) return failed("the oak is not back at its place");

  if (const auto redone = steps.redo(); !redone || !*redone) return failed("redo");
  if (trees.at(oak).x != 8) return failed("redo did not move the oak");
  trees.edit(elm)->y = 1;
  steps.done("move");  // instead of felling: that step cannot be redone any more
  if (const auto redone = steps.redo(); !redone || *redone) return failed("redo after a new step");
  std::printf("--\n");
  if (const auto printed = steps.print(); !printed) return failed(printed.error().message());

  std::size_t undone = 0;
  while (true) {
    const auto step = steps.undo();
    if (!step) return failed(step.error().message());
    if (!*step) break;
    ++undone;
  }
  std::printf("undid %zu steps: %zu trees\n", undone, trees.size());
  return undone == 4 && trees.empty() ? 0 : failed("the first state is another");
}
