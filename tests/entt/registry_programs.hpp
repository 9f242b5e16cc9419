// Random programs over any registry of entities: what happens after a restore or load must be what
// happens without.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "hdb/hdb.hpp"

namespace hdb::test {

/// A registry under test, with what mirrors it. Identifiers are plain bits.
class Subject {
 public:
  Subject() = default;
  virtual ~Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  virtual std::uint64_t create() = 0;
  virtual std::uint64_t create_hint(std::uint64_t index, std::uint64_t version) = 0;
  virtual void destroy(std::uint64_t id) = 0;
  virtual void destroy_with(std::uint64_t id, std::uint64_t version) = 0;
  virtual void destroy_some(const std::vector<std::uint64_t>& ids) = 0;
  virtual void start_from(std::uint64_t index) = 0;
  [[nodiscard]] virtual std::size_t live_count() const = 0;
  [[nodiscard]] virtual std::uint64_t live_at(std::size_t i) const = 0;
  virtual void clear_all() = 0;

  // Pools are numbered; they come to be at their first use.
  [[nodiscard]] virtual std::size_t pool_count() const = 0;
  [[nodiscard]] virtual bool has(std::size_t pool, std::uint64_t id) const = 0;
  virtual void add(std::size_t pool, std::uint64_t id, std::uint32_t value) = 0;
  /// At the end of the pool, whatever holes it has.
  virtual void add_back(std::size_t pool, const std::vector<std::uint64_t>& ids,
                        std::uint32_t value) = 0;
  virtual void remove(std::size_t pool, std::uint64_t id) = 0;
  virtual void set(std::size_t pool, std::uint64_t id, std::uint32_t value) = 0;
  virtual void clear(std::size_t pool) = 0;
  virtual void compact(std::size_t pool) = 0;
  /// By identifier. Does nothing if the pool has holes, or if a group owns it.
  virtual void sort(std::size_t pool) = 0;
  /// Something that only some registries can do.
  virtual void other(std::uint32_t) {}

  /// All that decides the future but the order of pools, as numbers. Pools are in the order of
  /// their numbers; one that does not exist is like an empty one.
  [[nodiscard]] virtual std::vector<std::uint64_t> state() const = 0;
  /// The pools that exist, in their order.
  [[nodiscard]] virtual std::vector<std::uint64_t> pool_order() const = 0;

  [[nodiscard]] virtual Database& database() = 0;
  [[nodiscard]] virtual Status push() = 0;
  virtual Status restore(const Snapshot& snapshot) = 0;
  virtual Result<LoadReport> load(std::unique_ptr<ByteSource> source) = 0;

  [[nodiscard]] Result<Snapshot> capture() {
    if (auto pushed = push(); !pushed) return fail(std::move(pushed.error()));
    return database().capture();
  }
};

using Random = std::mt19937;

/// A number below `end`.
[[nodiscard]] inline std::uint32_t below(Random& random, std::size_t end) {
  return static_cast<std::uint32_t>(random() % end);
}

/// Does `steps` random things. What each was about, and the state at the end, is appended to
/// `trace`.
void run_program(Subject& subject, Random& random, std::size_t steps,
                 std::vector<std::uint64_t>& trace);

/// One random case: a program, a capture, a future of 100 steps; then the same future after a
/// restore, and, if `with_file`, after a load into a new registry. Empty if all are equal, else
/// what differs.
[[nodiscard]] std::string run_case(std::uint32_t seed, bool with_file,
                                   std::unique_ptr<Subject> (*make)(std::uint32_t variant));

/// Runs `cases` cases from `first` on, as many as the scale says; each tenth with a file. Prints
/// `name: cases=... failures=...` and returns the first failures.
[[nodiscard]] std::string run_cases(const char* name, std::uint32_t first, std::uint32_t cases,
                                    std::unique_ptr<Subject> (*make)(std::uint32_t variant));

}  // namespace hdb::test
