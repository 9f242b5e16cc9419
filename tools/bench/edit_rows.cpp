// edit_random, frame_mix*: records that change while no snapshot is open, in a stable table and in
// the Bilas reference.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>

#include "bench.hpp"
#include "records.hpp"
#include "reference/bilas.hpp"

namespace hdb::bench {
namespace {

template <class Container>
double edit_all(Bodies<Container>& bodies) {
  return time_each_ns(bodies.handles.size(), [&] {
    for (const auto handle : bodies.handles) {
      Body* const body = bodies.container.edit(handle);
      if (body != nullptr) ++body->state;
    }
  });
}

// Frames of a game: each erases 1 % of the records and creates as many, finds and edits 20 %, and
// visits all. The handles are in a random order, so a run of them names records anywhere.
template <class Container>
class FrameMix {
 public:
  template <class... Options>
  explicit FrameMix(std::size_t count, const Options&... options) : bodies_(count, options...) {}

  // Nanoseconds of a frame for each record of the table.
  double operator()() {
    const std::size_t count = bodies_.handles.size();
    const std::size_t frames = kMillion / count;
    double ns = 0;
    for (std::size_t i = 0; i < frames; ++i) {
      const auto begin = static_cast<std::size_t>(random_() % (count - count / 100 - count / 5));
      ns += time_ns([&] { frame(begin, count / 100, count / 5); });
    }
    return ns / static_cast<double>(frames * count);
  }

 private:
  void frame(std::size_t begin, std::size_t replaced, std::size_t edited) {
    const auto handles = std::span(bodies_.handles).subspan(begin);
    Container& container = bodies_.container;
    for (std::size_t i = 0; i < replaced; ++i) container.erase(handles[i]);
    for (std::size_t i = 0; i < replaced; ++i) handles[i] = container.insert(make_content(i));
    for (std::size_t i = replaced; i < replaced + edited; ++i) {
      const Body* const seen = container.find(handles[i]);
      if (seen != nullptr && seen->health >= 0) container.edit(handles[i])->position.x += 1;
    }
    benchmark::DoNotOptimize(sum_of_all(container));
  }

  Bodies<Container> bodies_;
  std::mt19937_64 random_{kSeed};
};

void frame_row(Bench& bench, std::size_t count, const std::string& name) {
  if (!bench.wants({name})) return;
  FrameMix<Table<Body>> own(count, kStable);
  FrameMix<reference::BilasTable<Body>> base(count);
  bench.compare({.name = name, .target = 1.2, .note = "stable, / Bilas; ns a record"},
                std::ref(own), std::ref(base));
}

}  // namespace

void edit_rows(Bench& bench) {
  if (bench.wants({"edit_random"})) {
    Bodies<Table<Body>> stable(kMillion, kStable);
    Bodies<reference::BilasTable<Body>> bilas(kMillion);
    bench.compare(
        {.name = "edit_random", .target = 1.5, .note = "stable, no snapshot open, / Bilas"},
        [&] { return edit_all(stable); }, [&] { return edit_all(bilas); });
  }
  frame_row(bench, kMillion, "frame_mix");
  frame_row(bench, 10'000, "frame_mix_10k");
}

}  // namespace hdb::bench
