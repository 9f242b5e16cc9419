// Lets the record layer name what the layer evolve declares.
#pragma once

namespace hdb::detail {
namespace evolve {}
namespace record {
using namespace evolve;
}
}  // namespace hdb::detail
