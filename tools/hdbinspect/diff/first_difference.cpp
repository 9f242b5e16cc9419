// Pairs saves by name and searches them by their state hashes.
#include "diff/first_difference.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hdb/save.hpp"
#include "input.hpp"
#include "inputs.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

Result<std::vector<std::string>> saves_in(const std::string& folder) {
  auto names = names_in(folder);
  if (names) std::erase_if(*names, [](const std::string& name) { return !name.ends_with(".hdb"); });
  return names;
}

}  // namespace

Result<SavePairs> pair_saves(const std::string& folder_a, const std::string& folder_b) {
  SavePairs pairs{folder_a, folder_b, {}, 0, 0};
  auto in_a = saves_in(folder_a);
  if (!in_a) return fail(std::move(in_a.error()));
  auto in_b = saves_in(folder_b);
  if (!in_b) return fail(std::move(in_b.error()));
  std::set_intersection(in_a->begin(), in_a->end(), in_b->begin(), in_b->end(),
                        std::back_inserter(pairs.names), is_before);
  pairs.only_in_a = in_a->size() - pairs.names.size();
  pairs.only_in_b = in_b->size() - pairs.names.size();
  if (!pairs.names.empty()) return pairs;
  return fail(file_error(folder_a, ErrorCode::not_found,
                         fmt::format("no save (*.hdb) has the same name in both folders (saves "
                                     "here: {}, in the other folder: {})",
                                     in_a->size(), in_b->size())));
}

std::string FirstDifference::text() const {
  const std::size_t equal = pair - compared;
  std::string text = count_text(pair, "pair");
  if (equal != 0) text += fmt::format(": {} with equal state hashes", equal);
  if (compared != 0) text += fmt::format("{} {} compared", equal == 0 ? ":" : ",", compared);
  return text;
}

Result<bool> has_equal_hashes(const SavePairs& pairs, std::size_t pair) {
  const auto [file_a, file_b] = pairs.paths(pair);
  note_input(file_a);
  note_input(file_b);
  const auto a = read_info(file_a);
  if (!a) return fail(with_file(a.error(), file_a));
  const auto b = read_info(file_b);
  if (!b) return fail(with_file(b.error(), file_b));
  return a->state_hash == b->state_hash;
}

}  // namespace hdb::inspect
