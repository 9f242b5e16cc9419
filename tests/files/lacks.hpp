// File systems that lack a call: for tests of saves there.
#pragma once

#include <cerrno>
#include <initializer_list>
#include <string>
#include <vector>

#include "files/model_file_system.hpp"

namespace hdb::test {

struct LackingSystem {
  std::string name;
  Lacks lacks;
};

// Each lack with each number that systems give for it, and all lacks that a save gets along with.
inline std::vector<LackingSystem> lacking_systems() {
  std::vector<LackingSystem> kinds;
  const auto add = [&](const char* name, int Lacks::*call, std::initializer_list<int> numbers) {
    for (const int number : numbers) {
      Lacks lacks;
      lacks.*call = number;
      kinds.push_back({name + (", errno " + std::to_string(number)), lacks});
    }
  };
  add("locks", &Lacks::locks, {ENOLCK, EBADF, EOPNOTSUPP, ENOSYS, EINVAL});
  add("links", &Lacks::links, {EPERM, EACCES, EOPNOTSUPP, ENOSYS, EMLINK, EXDEV, EINVAL, EIO});
  add("rename over a file", &Lacks::rename_over, {EEXIST, EPERM, EACCES});
  add("fsync of a folder", &Lacks::sync_directory, {EINVAL, EBADF, EACCES, EIO});
  add("listing", &Lacks::list, {EACCES});
  add("reservation", &Lacks::reservation, {EOPNOTSUPP, ENOSYS, EINVAL, EPERM, ENODEV});
  add("modes", &Lacks::modes, {EPERM, EOPNOTSUPP, EACCES});
  add("owners", &Lacks::owners, {EPERM, EOPNOTSUPP, EINVAL});
  add("attributes", &Lacks::attributes, {EOPNOTSUPP, EPERM, EIO});
  kinds.push_back({"long names", {.longest_name = 143}});
  kinds.push_back({"case", {.ignores_case = true}});
  kinds.push_back({"almost everything",
                   {.locks = ENOLCK,
                    .links = EACCES,
                    .sync_directory = EINVAL,
                    .list = EACCES,
                    .reservation = ENOSYS,
                    .modes = EPERM,
                    .owners = EPERM,
                    .attributes = EIO,
                    .longest_name = 143,
                    .ignores_case = true}});
  return kinds;
}

}  // namespace hdb::test
