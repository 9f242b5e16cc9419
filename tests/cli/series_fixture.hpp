// A world at eight moments, for golden files of a series of autosaves.
#pragma once

#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

/// The number of moments.
inline constexpr int kSeriesMoments = 8;

/// The world at a moment from 1 on: records move, change, die, and their slots are used again. The
/// last moment is of a later version of the game, whose records have one field more.
void fill_series(Database& db, int moment);

}  // namespace hdb::test
