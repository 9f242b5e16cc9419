// Edits of bytes, numbers, schemas and tables, drawn from the input of the fuzzer.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include "format/frame/catalog.hpp"
#include "hdb/bytes.hpp"

namespace hdb::fuzz {

/// Overwrites, flips, inserts, erases or repeats some bytes, or puts a number in.
void edit_bytes(Bytes& bytes, FuzzedDataProvider& in);

/// A number near the corners, near `present`, or any.
[[nodiscard]] std::uint64_t edited_number(std::uint64_t present, FuzzedDataProvider& in);

/// Changes one field of one table descriptor, or one node of one schema, or their lists.
void edit_catalog(format::Catalog& catalog, FuzzedDataProvider& in);

}  // namespace hdb::fuzz
