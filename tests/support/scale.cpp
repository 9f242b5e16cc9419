// The scale from the environment; garbage counts as 1.
#include "support/scale.hpp"

#include <cmath>
#include <cstdlib>

namespace hdb::test {
namespace {

double scale() {
  const char* const text = std::getenv("HDB_TEST_SCALE");
  const double value = text == nullptr ? 1 : std::atof(text);
  return value > 0 ? value : 1;
}

}  // namespace

std::size_t scaled(std::size_t cases) {
  const double wanted = static_cast<double>(cases) * scale();
  return wanted < 1 ? 1 : static_cast<std::size_t>(wanted);
}

std::size_t scaled_stride() {
  return scale() >= 1 ? 1 : static_cast<std::size_t>(std::ceil(1 / scale()));
}

}  // namespace hdb::test
