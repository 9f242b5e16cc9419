// One table after another, its groups on all threads.
#include "inspect/validate/sound_tables.hpp"

#include <algorithm>

#include "base/ordered_work.hpp"
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
    OrderedWork work;
    work.total = table_.group_count();
    work.workers = static_cast<unsigned>(
        std::clamp<std::uint64_t>(work.total / kGroupsPerThread, 1, std::max(threads, 1u)));
    work.slots = static_cast<std::size_t>(std::max<std::uint64_t>(work.total, 1));
    if (groups.size() < work.workers) groups.resize(work.workers);
    std::vector<Hash128> sums(work.workers);
    work.produce = [&](unsigned worker, std::uint64_t number, std::size_t) {
      return check_group(number, groups[worker], sums[worker]);
    };
    if (!work.run()) return std::nullopt;
    for (const Hash128& sum : sums) hashes_.records += sum;
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
  // Once the slots are known to be right, no two threads write the same place of the order.
  Status check_group(std::uint64_t number, RowGroup& group, Hash128& sum) {
    auto read = order_ ? reader_.read_group_hash(number_, number, group)
                       : reader_.read_group(number_, number, group);
    if (!read) return read;
    if (auto added = slots_.add_group(number, group); !added || !order_) return added;
    sum += *group.record_hash;
    return order_->add(group);
  }

  const Reader& reader_;
  std::size_t number_;
  const TableDescriptor& table_;
  SlotChecker slots_;
  std::optional<DenseOrder> order_;  // where hashes are wanted
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
