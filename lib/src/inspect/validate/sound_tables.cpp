// One table after another, its groups on all threads.
#include "inspect/validate/sound_tables.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "hdb/detail/base/parallel.hpp"
#include "hdb/inspect/checks.hpp"

namespace hdb {
namespace {

// Few groups are not worth a thread.
constexpr std::uint64_t kGroupsPerThread = 4;

class TableCheck {
 public:
  TableCheck(const Reader& reader, std::size_t table, bool with_hashes)
      : reader_(reader), number_(table), table_(reader.tables()[table]), slots_(table_) {
    if (with_hashes) order_.emplace(table_);
  }

  std::optional<TableHashes> run(unsigned threads, std::vector<RowGroup>& groups) {
    const auto useful = static_cast<unsigned>(std::clamp<std::uint64_t>(
        table_.group_count() / kGroupsPerThread, 1, std::max(threads, 1u)));
    if (groups.size() < useful) groups.resize(useful);
    run_parallel(useful, {}, [&](unsigned thread) { check_groups(groups[thread]); });
    if (!sound_) return std::nullopt;
    const auto free_list = reader_.read_free_list(number_);
    if (!free_list || !slots_.add_free(*free_list) || !slots_.finish()) return std::nullopt;
    if (!order_) return hashes_;
    hashes_.free_list = hash_slots(*free_list);
    const auto order = order_->finish([&](std::uint64_t group, RowGroup& out) {
      return reader_.read_columns(number_, group, {}, out);
    });
    if (!order) return std::nullopt;
    hashes_.dense_order = *order;
    return hashes_;
  }

 private:
  void check_groups(RowGroup& group) {
    Hash128 sum;
    while (sound_.load(std::memory_order_relaxed)) {
      const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
      if (number >= table_.group_count()) break;
      if (!check_group(number, group)) {
        sound_ = false;
        break;
      }
      if (order_) sum += *group.record_hash;
    }
    const std::lock_guard lock(mutex_);
    hashes_.records += sum;
  }

  // Once the slots are known to be right, no two threads write the same place of the order.
  bool check_group(std::uint64_t number, RowGroup& group) {
    if (!order_) {
      return reader_.read_group(number_, number, group) && slots_.add_group(number, group);
    }
    return reader_.read_group_hash(number_, number, group) && slots_.add_group(number, group) &&
           order_->add(group);
  }

  const Reader& reader_;
  std::size_t number_;
  const TableDescriptor& table_;
  SlotChecker slots_;
  std::optional<DenseOrder> order_;  // where hashes are wanted
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> sound_{true};
  std::mutex mutex_;
  TableHashes hashes_;
};

}  // namespace

std::vector<std::optional<TableHashes>> find_sound_tables(const Reader& reader, unsigned threads,
                                                          bool with_hashes) {
  std::vector<std::optional<TableHashes>> hashes;
  std::vector<RowGroup> groups;  // one a thread; their memory is used again
  for (std::size_t i = 0; i < reader.tables().size(); ++i)
    hashes.push_back(TableCheck(reader, i, with_hashes).run(threads, groups));
  return hashes;
}

}  // namespace hdb
