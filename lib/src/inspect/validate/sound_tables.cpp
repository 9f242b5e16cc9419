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
      : reader_(reader),
        number_(table),
        table_(reader.tables()[table]),
        with_hashes_(with_hashes),
        slots_(table_) {}

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
    if (!with_hashes_) return hashes_;
    FreeListHash hash(table_);
    hash.add(*free_list);
    hashes_.free_list = hash.sum();
    return hashes_;
  }

 private:
  Status check_group(std::uint64_t number, RowGroup& group, Hash128& sum) {
    const bool needs_columns = table_.policy.names != RecordNames::none || table_.blobs.has_value();
    Status read;
    if (with_hashes_) {
      read = reader_.read_group_hash(number_, number, group);
    } else if (needs_columns) {  // the checker looks at names and blocks
      read = reader_.read_group(number_, number, group);
    } else {
      read = reader_.check_group(number_, number, group);
    }
    if (!read) return read;
    if (auto added = slots_.add_group(number, group); !added || !with_hashes_) return added;
    sum += *group.record_hash;
    return {};
  }

  const Reader& reader_;
  std::size_t number_;
  const TableDescriptor& table_;
  bool with_hashes_;
  SlotChecker slots_;
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
