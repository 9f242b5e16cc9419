// How much a lookup checks.
#pragma once

#include <cstdint>

namespace hdb {

/// How much find, edit and at look at a handle; a choice of the table's type.
///
///   checked    a stale, null or foreign handle gives null: one comparison and a load of its slot's generation
///   asserted   as unchecked, but asserted where assertions are on (HDB_ENABLE_ASSERTS): debug builds, or when forced on
///   unchecked  the caller knows that the handle is live: the record's address and nothing else (a dense table still loads
///              the position); any other handle is undefined behaviour
///
/// `contains`, `erase` and everything else check always.
///
/// Source: Bilas (how much to validate is a template choice); "Engine Resources Management" (asserted magic numbers).
enum class Access : std::uint8_t { checked, asserted, unchecked };

}  // namespace hdb
