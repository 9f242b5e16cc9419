// Random records: they come back, their hashes follow their bytes, and random columns never do
// harm.
#include "helpers.hpp"

#include "support/using_detail.hpp"

#include <rapidcheck/gtest.h>  // after gtest

namespace hdb::test {
namespace {

struct Leaf {
  std::int16_t a = 0;
  std::string s;
  bool operator==(const Leaf&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a), CEREAL_NVP(s));
  }
};
struct Tree {
  std::uint64_t id = 0;
  std::vector<std::uint8_t> blob;
  std::vector<Leaf> leaves;
  std::map<std::int32_t, std::vector<bool>> map;
  std::optional<Leaf> maybe;
  std::variant<std::int64_t, Leaf> either;
  bool operator==(const Tree&) const = default;
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(id), CEREAL_NVP(blob), CEREAL_NVP(leaves), CEREAL_NVP(map), CEREAL_NVP(maybe),
       CEREAL_NVP(either));
  }
};

Leaf any_leaf() {
  return {*rc::gen::arbitrary<std::int16_t>(), *rc::gen::arbitrary<std::string>()};
}

std::vector<Tree> any_trees() {
  std::vector<Tree> trees(*rc::gen::inRange<std::size_t>(0, 20));
  for (Tree& tree : trees) {
    tree.id = *rc::gen::arbitrary<std::uint64_t>();
    tree.blob = *rc::gen::arbitrary<std::vector<std::uint8_t>>();
    tree.leaves.resize(*rc::gen::inRange<std::size_t>(0, 5));
    for (Leaf& leaf : tree.leaves) leaf = any_leaf();
    tree.map = *rc::gen::arbitrary<std::map<std::int32_t, std::vector<bool>>>();
    if (*rc::gen::arbitrary<bool>()) tree.maybe = any_leaf();
    if (*rc::gen::arbitrary<bool>()) {
      tree.either = any_leaf();
    } else {
      tree.either = *rc::gen::arbitrary<std::int64_t>();
    }
  }
  return trees;
}

RC_GTEST_PROP(Property, RecordsComeBack, ()) {
  const auto trees = any_trees();
  const Encoded encoded = encode(trees);
  RC_ASSERT(decode<Tree>(encoded) == trees);
  RC_ASSERT(*make_codec<Tree>()->hash_rows(batch_of(trees)) == encoded.hash);
}

RC_GTEST_PROP(Property, OneChangedRecordChangesTheHash, ()) {
  auto trees = any_trees();
  RC_PRE(!trees.empty());
  const Hash128 before = encode(trees).hash;
  Tree& tree = trees[*rc::gen::inRange<std::size_t>(0, trees.size())];
  tree.leaves.push_back({});
  RC_ASSERT(encode(trees).hash != before);
}

RC_GTEST_PROP(Property, RandomColumnsDoNoHarm, ()) {
  Encoded encoded = encode(any_trees());
  const auto column = *rc::gen::inRange<std::size_t>(0, encoded.columns.size());
  for (const std::uint8_t byte : *rc::gen::arbitrary<std::vector<std::uint8_t>>()) {
    Bytes& bytes = encoded.columns[column];
    if (bytes.empty() || byte % 3 == 0) {
      bytes.push_back(std::byte{byte});
    } else {
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = std::byte{byte};
    }
  }
  const auto loaded = try_decode<Tree>(encoded, 1 << 22);
  if (loaded) RC_ASSERT(decode<Tree>(encode(*loaded)) == *loaded);
}

}  // namespace
}  // namespace hdb::test
