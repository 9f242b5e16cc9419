// Records with a key to sort by and a number that tells equal ones apart, for the tests of sorting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "hdb/table.hpp"

namespace hdb::test {

struct Keyed {
  std::uint64_t key = 0;
  std::uint32_t number = 0;
  friend bool operator==(const Keyed&, const Keyed&) = default;
};
/// Of a size that is no power of two.
struct LongKeyed {
  std::uint64_t key = 0;
  std::uint32_t number = 0;
  std::uint32_t rest[17] = {};
  friend bool operator==(const LongKeyed&, const LongKeyed&) = default;
};
/// Owns memory.
struct NamedKeyed {
  std::string key;
  std::uint32_t number = 0;
  friend bool operator==(const NamedKeyed&, const NamedKeyed&) = default;
};
/// Owns memory, and is larger than small buffers.
struct HugeKeyed {
  std::string key;
  std::uint32_t number = 0;
  std::uint32_t rest[200] = {};
  friend bool operator==(const HugeKeyed&, const HugeKeyed&) = default;
};

template <class Record>
Record make_keyed(std::uint64_t key, std::uint32_t number) {
  Record record;
  if constexpr (std::is_same_v<decltype(record.key), std::string>) {
    const std::string digits = std::to_string(key);
    record.key = std::string(20 - digits.size(), '0') + digits;
  } else {
    record.key = key;
  }
  record.number = number;
  return record;
}

template <class Record>
bool by_key(const Record& a, const Record& b) {
  return a.key < b.key;
}

/// The records in order, with their handles.
template <class Record>
std::vector<std::pair<Handle<Record>, Record>> pairs_of(const Table<Record>& table) {
  std::vector<std::pair<Handle<Record>, Record>> pairs;
  pairs.reserve(table.size());
  for (const auto& [handle, record] : table.entries()) pairs.emplace_back(handle, record);
  return pairs;
}

}  // namespace hdb::test
