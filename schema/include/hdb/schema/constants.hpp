// The numbers of the file format, shared by writer and reader. FORMAT.md says what they mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hdb::format {

/// Draft version of the format (0.kVersionMinor). A change of bytes raises it.
inline constexpr std::uint16_t kVersionMajor = 0;
inline constexpr std::uint16_t kVersionMinor = 1;

/// Row groups: 2^6 .. 2^16 slots, aiming at 1 MiB of fixed-width data.
inline constexpr unsigned kMinGroupShift = 6;
inline constexpr unsigned kMaxGroupShift = 16;
inline constexpr std::uint64_t kGroupTargetBytes = std::uint64_t{1} << 20;

// Hard maxima of the format: no file may exceed them. (Reader defaults, which are lower, are in hdb/format/limits.hpp.)
inline constexpr std::size_t kMaxTables = 4096;
inline constexpr std::size_t kMaxSchemas = 4096;
inline constexpr std::size_t kMaxNameBytes = 255;
inline constexpr std::size_t kMaxSchemaDepth = 32;
inline constexpr std::size_t kMaxSchemaFields = 16384;
inline constexpr std::size_t kMaxAlternatives = 255;
inline constexpr std::uint64_t kMaxArrayCount = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxFixedRowBytes = std::uint64_t{1} << 24;

}  // namespace hdb::format
