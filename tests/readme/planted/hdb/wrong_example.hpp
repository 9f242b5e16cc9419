// A header whose example states something that is not so: the test of its example must fail.
#pragma once

/// Example:
/// @code
/// hdb::Table<Monster> monsters;
/// monsters.insert({.name = "imp"});
/// assert(monsters.empty());
/// @endcode
