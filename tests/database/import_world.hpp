// Two worlds of one game with handles in containers of every kind, for tests of imports.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/import.hpp"
#include "hdb/resource_table.hpp"
#include "support/records.hpp"

namespace hdb::test::import_test {

struct Node;
struct Item;
struct Door;
using NodeHandle = Handle<Node>;
using ItemHandle = Handle<Item, Layout<12, 8>>;
using DoorHandle = TypedHandle<Door>;

/// A resource.
struct Skin {
  std::int32_t colour = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(colour));
  }
};
/// Trivially copyable, with short handles.
struct Item {
  std::int32_t value = 0;
  NodeHandle owner = {};
  ItemHandle next = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value), CEREAL_NVP(owner), CEREAL_NVP(next));
  }
};
/// With handles that have type ids.
struct Door {
  DoorHandle twin = {};
  AnyHandle key = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(twin), CEREAL_NVP(key));
  }
};
struct Torch {
  float fuel = 1;
  DoorHandle near_door = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(fuel), CEREAL_NVP(near_door));
  }
};
struct Pact {
  NodeHandle with = {};
  std::vector<std::optional<AnyHandle>> witnesses = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(with), CEREAL_NVP(witnesses));
  }
};
using Loot = std::unordered_map<NodeHandle, ItemHandle>;
struct Node {
  std::int32_t value = 0;
  NodeHandle parent = {};
  std::vector<NodeHandle> children = {};
  std::array<ItemHandle, 2> hands = {};
  std::map<NodeHandle, std::int32_t> grudges = {};
  std::map<std::string, NodeHandle> roles = {};
  std::set<NodeHandle> friends = {};
  Loot loot = {};
  std::optional<NodeHandle> target = {};
  std::variant<std::int32_t, NodeHandle, std::string> last = {};
  std::vector<Pact> pacts = {};
  Strong<Skin> skin = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value), CEREAL_NVP(parent), CEREAL_NVP(children), CEREAL_NVP(hands),
      CEREAL_NVP(grudges), CEREAL_NVP(roles), CEREAL_NVP(friends), CEREAL_NVP(loot),
      CEREAL_NVP(target), CEREAL_NVP(last), CEREAL_NVP(pacts), CEREAL_NVP(skin));
  }
};

/// Replaces each handle of a record by map(handle), which is overloaded for each type of handle.
template <class Map>
void rewrite(Skin&, const Map&) {}
template <class Map>
void rewrite(Item& item, const Map& map) {
  item.owner = map(item.owner);
  item.next = map(item.next);
}
template <class Map>
void rewrite(Door& door, const Map& map) {
  door.twin = handle_as<Door>(map(any_handle(door.twin)));
  door.key = map(door.key);
}
template <class Map>
void rewrite(Torch& torch, const Map& map) {
  torch.near_door = handle_as<Door>(map(any_handle(torch.near_door)));
}
template <class Map>
void rewrite(Node& node, const Map& map) {
  node.parent = map(node.parent);
  for (NodeHandle& child : node.children) child = map(child);
  for (ItemHandle& item : node.hands) item = map(item);
  std::map<NodeHandle, std::int32_t> grudges;
  for (const auto& [whom, why] : node.grudges) grudges.emplace(map(whom), why);
  node.grudges = std::move(grudges);
  for (auto& [name, whom] : node.roles) whom = map(whom);
  std::set<NodeHandle> friends;
  for (const NodeHandle each : node.friends) friends.insert(map(each));
  node.friends = std::move(friends);
  // Of several keys that become null the first in the file stays: the one with the least bytes.
  std::map<Bytes, std::pair<NodeHandle, ItemHandle>> in_order;
  for (const auto& [whom, what] : node.loot) {
    Bytes bytes(8);
    store_le(bytes.data(), whom.bits());
    in_order[bytes] = {whom, what};
  }
  node.loot.clear();
  for (const auto& [bytes, each] : in_order) node.loot.emplace(map(each.first), map(each.second));
  if (node.target) node.target = map(*node.target);
  if (auto* const whom = std::get_if<NodeHandle>(&node.last)) *whom = map(*whom);
  for (Pact& pact : node.pacts) {
    pact.with = map(pact.with);
    for (auto& witness : pact.witnesses) {
      if (witness) witness = map(*witness);
    }
  }
  node.skin = map(node.skin.handle());
}

}  // namespace hdb::test::import_test

template <>
struct hdb::AllowUnordered<hdb::test::import_test::Loot> : std::true_type {};

namespace hdb::test::import_test {

/// The tables of the game. `torches_first` gives doors and torches other type ids.
struct World {
  explicit World(bool torches_first = false, std::uint64_t max_nodes = kNoLimit)
      : first_torches(torches_first ? &make_torches() : nullptr),
        nodes(db.create_table<Node>("nodes",
                                    {.names = RecordNames::exact, .max_records = max_nodes})),
        items(db.create_table<Item, Layout<12, 8>>("items",
                                                   {.storage = Storage::stable,
                                                    .free_list = FreeList::fifo,
                                                    .generations = Generations::table_counter,
                                                    .overflow = Overflow::wrap})),
        doors(db.create_table<Door, TypedLayout>("doors", {.storage = Storage::stable})),
        torches(torches_first ? *first_torches : make_torches()),
        skins(db.create_resource_table<Skin>("skins")) {}

  Table<Torch, TypedLayout>& make_torches() {
    return db.create_table<Torch, TypedLayout>("torches");
  }

  Database db;
  Table<Torch, TypedLayout>* first_torches;
  Table<Node>& nodes;
  Table<Item, Layout<12, 8>>& items;
  Table<Door, TypedLayout>& doors;
  Table<Torch, TypedLayout>& torches;
  ResourceTable<Skin>& skins;
  // Every handle that was ever issued: some are stale.
  std::vector<NodeHandle> old_nodes;
  std::vector<ItemHandle> old_items;
  std::vector<AnyHandle> old_any;
  std::vector<Handle<Skin>> old_skins;

  /// Inserts, erases and points records at each other. Names begin with `prefix`.
  void churn(int steps, Random& random, const std::string& prefix) {
    for (int i = 0; i < steps; ++i) step(random, prefix + std::to_string(i));
  }

 private:
  template <class T>
  static T any_of(const std::vector<T>& handles, Random& random) {
    return handles.empty() || random.one_in(8) ? T() : handles[random.below(handles.size())];
  }
  void step(Random& random, const std::string& name) {
    const auto value = static_cast<std::int32_t>(random.below(1000));
    switch (random.below(8)) {
      case 0: old_items.push_back(items.insert({.value = value})); break;
      case 1: old_any.push_back(any_handle(doors.insert({}))); break;
      case 2: old_any.push_back(AnyHandle::from_bits(torches.insert({.fuel = 2}).bits())); break;
      case 3:
        old_skins.push_back(skins.table().insert_named(random.one_in(3) ? "" : name, {value}));
        break;
      case 4: erase_one(random); break;
      default:
        old_nodes.push_back(nodes.insert_named(random.one_in(3) ? name : "", node(random, value)));
        break;
    }
    if (Item* const item = items.edit(any_of(old_items, random))) {
      item->owner = any_of(old_nodes, random);
      item->next = any_of(old_items, random);
    }
    const AnyHandle any = any_of(old_any, random);
    if (Door* const door = db.edit<Door>(any)) {
      door->twin = handle_as<Door>(any_of(old_any, random));
      door->key = any_of(old_any, random);
    }
    if (Torch* const torch = db.edit<Torch>(any))
      torch->near_door = handle_as<Door>(any_of(old_any, random));
    if (Node* const edited = nodes.edit(any_of(old_nodes, random)))
      *edited = node(random, value + 1000);
  }
  void erase_one(Random& random) {
    switch (random.below(4)) {
      case 0: nodes.erase(any_of(old_nodes, random)); break;
      case 1: items.erase(any_of(old_items, random)); break;
      case 2: db.erase(any_of(old_any, random)); break;
      default: skins.table().erase(any_of(old_skins, random)); break;
    }
  }
  [[nodiscard]] Node node(Random& random, std::int32_t value) const {
    Node made;
    made.value = value;
    made.parent = any_of(old_nodes, random);
    made.hands = {any_of(old_items, random), any_of(old_items, random)};
    made.target = any_of(old_nodes, random);
    if (random.one_in(2)) made.last = any_of(old_nodes, random);
    made.skin = any_of(old_skins, random);
    for (std::uint64_t i = random.below(4); i != 0; --i) {
      made.children.push_back(any_of(old_nodes, random));
      made.grudges[any_of(old_nodes, random)] = value;
      made.roles[std::to_string(i)] = any_of(old_nodes, random);
      made.friends.insert(any_of(old_nodes, random));
      made.loot[any_of(old_nodes, random)] = any_of(old_items, random);
      Pact& pact = made.pacts.emplace_back();
      pact.with = any_of(old_nodes, random);
      pact.witnesses = {any_of(old_any, random), std::nullopt, any_of(old_any, random)};
    }
    return made;
  }
};

inline Bytes saved(Database& db) {
  MemorySink sink;
  if (!save(db.capture(), sink)) std::abort();
  return sink.take();
}
inline Result<ImportReport> import_from(Database& db, const Bytes& bytes,
                                        const ImportOptions& options = {}) {
  return db.import_records(std::make_unique<MemorySource>(bytes), options);
}

}  // namespace hdb::test::import_test
