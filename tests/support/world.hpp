// A database with names and blobs that tests share, churned by a random program.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

/// What a block of bytes is.
struct Mesh {
  std::uint32_t vertices = 0;
  std::string material = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(vertices), CEREAL_NVP(material));
  }
};

inline std::vector<std::byte> pattern(std::size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + seed);
  return bytes;
}

/// A database with a table of each kind, and a program that changes all of them.
struct World {
  explicit World(Compaction compaction = Compaction::at_release, Storage storage = Storage::dense)
      : units(db.create_table<Unit>(
            "units",
            {.storage = storage, .free_list = FreeList::fifo, .names = RecordNames::ignore_case})),
        heroes(db.create_table<Hero>("heroes", {.names = RecordNames::exact})),
        meshes(db.create_blob_table<Mesh>(
            "meshes", {.capacity_bytes = 1u << 20, .alignment = 32, .compaction = compaction})) {}
  Database db;
  Table<Unit>& units;
  Table<Hero>& heroes;
  BlobTable<Mesh>& meshes;
  std::vector<Handle<Mesh>> blocks;
  std::vector<Handle<Unit>> handles;

  void churn(int steps, std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < steps; ++i) {
      const auto number = static_cast<unsigned>(random.below(1000));
      handles.push_back(units.insert_named("Unit " + std::to_string(number), {.hp = i}));
      if (random.one_in(3)) units.erase(handles[random.below(handles.size())]);
      if (random.one_in(4))
        units.rename(handles[random.below(handles.size())], "renamed " + std::to_string(i));
      if (random.one_in(3)) {
        if (Unit* const unit = units.edit(handles[random.below(handles.size())])) unit->x += i;
      }
      if (random.one_in(5)) heroes.insert_named("hero " + std::to_string(number), {.name = "h"});
      const auto size = random.below(3000);
      if (auto block = meshes.insert({.vertices = number, .material = "m"}, pattern(size, number)))
        blocks.push_back(*block);
      if (random.one_in(2)) meshes.erase(blocks[random.below(blocks.size())]);
      if (random.one_in(7)) resize_one(random);
    }
  }
  // One call after the other: compilers disagree on the order of arguments.
  void resize_one(Random& random) {
    const Handle<Mesh> block = blocks[static_cast<std::size_t>(random.below(blocks.size()))];
    const std::uint64_t size = random.below(5000);
    static_cast<void>(meshes.resize(block, size));
  }
  void expect_sound() const { EXPECT_EQ(db.check_invariants(), nullptr); }
};

/// The bytes of the snapshot's file.
inline Bytes saved(const Snapshot& snapshot, const SaveOptions& options = {}) {
  MemorySink sink;
  const auto result = save(snapshot, sink, options);
  EXPECT_TRUE(result) << (result ? "" : result.error().message());
  return sink.take();
}

}  // namespace hdb::test
