// A database of textures, materials that hold them, and walls: what the tests of resources play
// with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/resource_table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::resource_table_test {

struct Texture {
  std::int32_t width = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(width));
  }
};

/// A resource that holds resources of its own kind, and of another.
struct Material {
  std::string shader;
  Strong<Texture> texture;
  std::vector<Strong<Material>> layers;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(shader), CEREAL_NVP(texture), CEREAL_NVP(layers));
  }
};

struct Wall {
  Strong<Texture> front;
  Handle<Texture> seen;  // weak: keeps nothing
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(front), CEREAL_NVP(seen));
  }
};

struct World {
  Database db;
  ResourceTable<Texture>& textures =
      db.create_resource_table<Texture>("textures", {.names = RecordNames::ignore_case});
  ResourceTable<Material>& materials = db.create_resource_table<Material>("materials");
  Table<Wall>& walls = db.create_table<Wall>("walls");
  int loads = 0;

  Ref<Texture> texture(std::string_view name) {
    return textures.find_or_load(name, [this](std::string_view) {
      ++loads;
      return std::optional<Texture>({.width = 64});
    });
  }
  std::size_t flush() { return textures.flush().value().destroyed; }
  std::size_t flush_materials() { return materials.flush().value().destroyed; }
};

}  // namespace hdb::test::resource_table_test
