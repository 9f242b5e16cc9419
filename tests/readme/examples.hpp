// What an example in a header comment may use besides hdb: two record types, assert, and the files
// slot1.hdb, slot2.hdb and damaged.hdb in the current folder.
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <cereal/archives/json.hpp>
#include <cereal/cereal.hpp>
#include <cereal/types/string.hpp>

#undef NDEBUG  // an example shows its results by assert
#include <cassert>

struct Weapon {
  std::string name = {};
  float damage = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(damage));
  }
};

struct Monster {
  std::string name = {};
  int hp = 100;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(hp));
  }
};

/// Runs an example, and sets `ended` if it reaches its end.
using Example = void (*)(bool& ended);

/// All examples of this program by the names of their headers.
[[nodiscard]] const std::map<std::string, Example>& all_examples();
