#!/usr/bin/env python3
"""Prints lib/include/hdb/detail/record/with_members.hpp: C++20 takes an object apart only into as
many names as it has members, so there is a case for each number of them."""

MOST = 64
WIDTH = 100


def wrapped(head, names, tail):
    """`head` and the names, in as many lines as they need."""
    lines = [head]
    for i, name in enumerate(names):
        piece = name + (tail if i + 1 == len(names) else ',')
        if len(lines[-1]) + 1 + len(piece) > WIDTH:
            lines.append(' ' * len(head) + piece)
        else:
            lines[-1] += piece if i == 0 else ' ' + piece
    return lines


def cases():
    for count in range(1, MOST + 1):
        names = [f'm{i}' for i in range(count)]
        yield f'  }} else if constexpr (N == {count}) {{'
        yield from wrapped('    auto& [', names, '] = value;')
        yield from wrapped('    return visit(', names, ');')


print('''// Takes an object apart into its members. Written by tools/generate/with_members.py.
#pragma once

#include <cstddef>

namespace hdb::detail::record {

/// The most members that an aggregate without `serialize` may have.
inline constexpr std::size_t kMostMembers = %d;

// clang-format off
/// Calls visit(members...) with all members of an aggregate that has N, in order.
template <std::size_t N, class T, class Visit>
constexpr decltype(auto) with_members(T& value, Visit&& visit) {
  static_assert(N <= kMostMembers);
  if constexpr (N == 0) {
    return visit();''' % MOST)
for line in cases():
    print(line)
print('''  }
}
// clang-format on

}  // namespace hdb::detail::record''')
