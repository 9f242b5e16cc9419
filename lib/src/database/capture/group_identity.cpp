// Identities of row groups, from page stamps.
#include "database/capture/group_identity.hpp"

#include "base/using_detail.hpp"

#include <algorithm>

namespace hdb {
namespace {

constexpr std::size_t kCountAt = 2;
constexpr std::size_t kFirstStamp = 7;

void add_stamps(const FrozenArray& pages, std::uint64_t begin, std::uint64_t end,
                std::vector<std::uint64_t>& out) {
  for (auto page = static_cast<std::size_t>(begin >> pages.shift());
       page < pages.page_count() && page << pages.shift() < end; ++page) {
    out.push_back(pages.stamp(page));
  }
}

void add_record_page(const FrozenArray& records, std::uint64_t page,
                     std::vector<std::uint64_t>& out) {
  out.push_back(page);
  out.push_back(records.stamp(static_cast<std::size_t>(page)));
}

// The pages that hold the records of live slots [begin, end) of a dense table, rising.
std::vector<std::uint64_t> pages_of_live(const FrozenTable& table, std::uint64_t begin,
                                         std::uint64_t end) {
  std::vector<std::uint64_t> pages;
  std::vector<SlotEntry> entries(static_cast<std::size_t>(end - begin));
  table.slots.read_entries(begin, entries);
  for (const SlotEntry& entry : entries) {
    if (!slot_tag::is_live(entry.tag)) continue;
    const std::uint64_t page = entry.position >> table.records.shift();
    if (pages.empty() || pages.back() != page) pages.push_back(page);
  }
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  return pages;
}

}  // namespace

bool group_identity(const SnapshotTable& table, std::uint64_t begin, std::uint64_t end,
                    std::span<const std::uint64_t> last, std::vector<std::uint64_t>& out) {
  if (table.frozen.blobs) return false;
  const FrozenTable& frozen = table.frozen;
  const FrozenArray& records = frozen.records;
  out.assign({frozen.slots.entries.pool().number(), end, 0,
              table.kept != nullptr ? table.kept->id() : 0, frozen.slots.entries.number(),
              records.number(), frozen.names.names.number()});
  add_stamps(frozen.slots.entries, begin, end, out);
  if (frozen.policy().names != RecordNames::none) add_stamps(frozen.names.names, begin, end, out);
  out[kCountAt] = out.size() - kFirstStamp;

  if (frozen.policy().storage == Storage::stable) {
    for (std::uint64_t page = begin >> records.shift();
         page < records.page_count() && page << records.shift() < end; ++page) {
      add_record_page(records, page, out);
    }
    return true;
  }
  const std::size_t head = out.size();
  if (last.size() >= head && std::equal(out.begin(), out.end(), last.begin())) {
    // Equal slots lie at equal positions.
    for (std::size_t i = head; i < last.size(); i += 2) add_record_page(records, last[i], out);
    return true;
  }
  for (const std::uint64_t page : pages_of_live(frozen, begin, end))
    add_record_page(records, page, out);
  return true;
}

}  // namespace hdb
