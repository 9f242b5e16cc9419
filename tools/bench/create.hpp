// Filling a container from nothing, in memory that nobody has touched.
#pragma once

#include <cstddef>
#include <memory>

#include "bench.hpp"
#include "records.hpp"

namespace hdb::bench {

/// Nanoseconds that it takes to make a container and insert `count` bodies: fresh memory, no
/// reserve; giving it back is not timed.
template <class Make>
double create_cold(const Make& make, std::size_t count) {
  make_memory_cold();
  std::unique_ptr<decltype(make())> container;
  return time_ns([&] {
    container.reset(new auto(make()));
    for (std::size_t i = 0; i < count; ++i) container->insert(make_content(i));
  });
}

}  // namespace hdb::bench
