// The handle of the reference containers: index and generation in 64 bits.
#pragma once

#include <cstdint>

namespace hdb::reference {

struct Key {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
};

}  // namespace hdb::reference
