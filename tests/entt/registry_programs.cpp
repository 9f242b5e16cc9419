// The random programs of the registry tests.
#include "entt/registry_programs.hpp"

#include <algorithm>
#include <cstdio>

#include "hdb/io.hpp"
#include "hdb/save.hpp"
#include "support/scale.hpp"

namespace hdb::test {
namespace {

std::uint64_t any_live(const Subject& subject, Random& random) {
  return subject.live_at(below(random, subject.live_count()));
}

std::vector<std::uint64_t> some_live(const Subject& subject, Random& random, std::size_t most) {
  std::vector<std::uint64_t> ids;
  for (std::size_t i = below(random, most) + 1; i != 0; --i) {
    const std::uint64_t id = any_live(subject, random);
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

std::uint64_t step(Subject& subject, Random& random) {
  const std::uint32_t kind = below(random, 100);
  const std::size_t pool = below(random, subject.pool_count());
  const std::uint32_t value = below(random, 1000);
  if (kind < 20 || subject.live_count() == 0) {
    // Hints of entities that are live, dead, and never were; versions near the last one, too.
    if (kind < 6) return subject.create_hint(below(random, 60), below(random, 17));
    return subject.create();
  }
  const std::uint64_t id = any_live(subject, random);
  if (kind < 32) {
    subject.destroy(id);
  } else if (kind < 35) {
    subject.destroy_with(id, below(random, 17));
  } else if (kind < 37) {
    subject.destroy_some(some_live(subject, random, 5));
  } else if (kind < 70) {
    if (!subject.has(pool, id)) {
      subject.add(pool, id, value);
    } else if (kind < 55) {
      subject.set(pool, id, value);
    } else {
      subject.remove(pool, id);
    }
  } else if (kind < 80) {
    if (subject.has(pool, id)) subject.remove(pool, id);
  } else if (kind < 84) {
    std::vector<std::uint64_t> ids = some_live(subject, random, 4);
    std::erase_if(ids, [&](std::uint64_t each) { return subject.has(pool, each); });
    subject.add_back(pool, ids, value);
  } else if (kind < 88) {
    subject.sort(pool);
  } else if (kind < 90) {
    subject.compact(pool);
  } else if (kind < 91) {
    subject.clear(pool);
  } else if (kind < 92) {
    if (below(random, 4) == 0) subject.clear_all();
  } else if (kind < 93) {
    subject.start_from(below(random, 70));
  } else {
    subject.other(below(random, 1000));
  }
  return id;
}

std::string difference(const std::vector<std::uint64_t>& one,
                       const std::vector<std::uint64_t>& other) {
  const auto at = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return "differs at number " + std::to_string(at.first - one.begin()) + " of " +
         std::to_string(one.size());
}

}  // namespace

void run_program(Subject& subject, Random& random, std::size_t steps,
                 std::vector<std::uint64_t>& trace) {
  for (std::size_t i = 0; i < steps; ++i) trace.push_back(step(subject, random));
  const std::vector<std::uint64_t> state = subject.state();
  trace.insert(trace.end(), state.begin(), state.end());
}

std::string run_case(std::uint32_t seed, bool with_file,
                     std::unique_ptr<Subject> (*make)(std::uint32_t variant)) {
  const auto failed = [&](const std::string& what) {
    return "case " + std::to_string(seed) + ": " + what + "\n";
  };
  Random random(seed);
  const std::unique_ptr<Subject> subject = make(seed);
  std::vector<std::uint64_t> ignored;
  // Captures on the way: each writes only what changed since.
  for (std::uint32_t captures = below(random, 3); captures != 0; --captures) {
    run_program(*subject, random, below(random, 60), ignored);
    if (auto pushed = subject->push(); !pushed) return failed(pushed.error().message());
    if (seed % 2 == 0) static_cast<void>(subject->database().capture());
  }
  run_program(*subject, random, below(random, 100), ignored);
  const std::vector<std::uint64_t> state = subject->state();
  const std::vector<std::uint64_t> order = subject->pool_order();
  const auto captured = subject->capture();
  if (!captured) return failed(captured.error().message());
  if (subject->state() != state) return failed("the capture changed the registry");
  if (seed % 16 == 0) {
    if (const char* const broken = subject->database().check_invariants()) return failed(broken);
  }

  const Random future = random;
  std::vector<std::uint64_t> expected;
  run_program(*subject, random, 100, expected);
  const std::vector<std::uint64_t> expected_order = subject->pool_order();
  const auto check = [&](Subject& other, const char* after, bool was_empty) -> std::string {
    if (other.state() != state)
      return failed(after + (" the state " + difference(state, other.state())));
    // Pools that were made since the capture stay behind the others.
    const std::vector<std::uint64_t> now = other.pool_order();
    if (now.size() < order.size() || !std::equal(order.begin(), order.end(), now.begin()))
      return failed(std::string(after) + " the order of pools differs");
    std::vector<std::uint64_t> trace;
    Random again = future;
    run_program(other, again, 100, trace);
    if (trace != expected) return failed(after + (" the future " + difference(expected, trace)));
    if (was_empty && other.pool_order() != expected_order)
      return failed(std::string(after) + " the future order of pools differs");
    return {};
  };
  if (seed % 3 == 0) {
    if (auto pushed = subject->push(); !pushed) return failed(pushed.error().message());
  }
  if (auto restored = subject->restore(*captured); !restored)
    return failed(restored.error().message());
  if (std::string wrong = check(*subject, "after a restore", true); !wrong.empty()) return wrong;
  if (!with_file) return {};

  MemorySink sink;
  if (auto saved = save(*captured, sink); !saved) return failed(saved.error().message());
  const std::unique_ptr<Subject> loaded = make(seed + 1);
  // Half of the registries are not empty.
  if (seed % 20 == 0) {
    run_program(*loaded, random, below(random, 100), ignored);
    if (seed % 40 == 0) {
      if (auto pushed = loaded->push(); !pushed) return failed(pushed.error().message());
    }
  }
  if (auto report = loaded->load(std::make_unique<MemorySource>(sink.take())); !report)
    return failed(report.error().message());
  if (loaded->pool_order() == order) {
    const auto again = loaded->capture();
    if (!again) return failed(again.error().message());
    if (again->state_hash() != captured->state_hash()) return failed("another hash after a load");
  }
  return check(*loaded, "after a load", seed % 20 != 0);
}

std::string run_cases(const char* name, std::uint32_t first, std::uint32_t cases,
                      std::unique_ptr<Subject> (*make)(std::uint32_t variant)) {
  cases = static_cast<std::uint32_t>(scaled(cases));
  std::uint32_t failures = 0;
  std::string text;
  for (std::uint32_t seed = first; seed < first + cases; ++seed) {
    const std::string wrong = run_case(seed, seed % 10 == 0, make);
    if (wrong.empty()) continue;
    if (++failures <= 5) text += wrong;
  }
  std::printf("%s: cases=%u failures=%u\n", name, cases, failures);
  return text;
}

}  // namespace hdb::test
