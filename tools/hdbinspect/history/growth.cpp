// Keeps what each number was in the save before.
#include "history/growth.hpp"

namespace hdb::inspect {

void GrowthSearch::look(const TableDescriptor& table, std::size_t save) {
  const auto [seen, is_new] = saves_.try_emplace(table.name, save);
  for (std::size_t i = 0; i < kTableNumbers.size(); ++i) {
    const auto number = kTableNumbers[i].value;
    // The slots of a component table are those of its owner.
    if (table.policy.is_component && number == &TableDescriptor::slot_count) continue;
    const std::uint64_t value = table.*number;
    Growth& growth = numbers_[{table.name, i}];
    if (is_new) growth.first = growth.last = value;
    if (value > growth.last && growth.rises++ == 0) growth.since = seen->second;
    growth.fell = growth.fell || value < growth.last;
    growth.last = value;
  }
  seen->second = save;
}

std::vector<std::pair<GrowthSearch::Key, Growth>> GrowthSearch::found(std::size_t least) const {
  std::vector<std::pair<Key, Growth>> found;
  for (const auto& [key, growth] : numbers_)
    if (!growth.fell && growth.rises >= least) found.emplace_back(key, growth);
  return found;
}

}  // namespace hdb::inspect
