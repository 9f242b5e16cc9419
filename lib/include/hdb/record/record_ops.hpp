// What is compiled for each record type: a few functions that hand one record to an archive.
#pragma once

#include <memory>

#include "hdb/record/codec.hpp"
#include "hdb/record/decode_archive.hpp"
#include "hdb/record/describe_archive.hpp"
#include "hdb/record/encode_archive.hpp"

namespace hdb::record {

/// The functions of one record type.
struct RecordOps {
  std::size_t size = 0;
  std::size_t alignment = 0;
  bool may_be_plain = false;  ///< Trivially copyable, and not opted out.
  void (*construct)(void* at) = nullptr;
  void (*destroy)(void* at) = nullptr;
  void (*describe)(DescribeArchive& archive, const void* record) = nullptr;
  void (*save)(EncodeArchive& archive, const void* record) = nullptr;
  void (*load)(DecodeArchive& archive, void* record) = nullptr;
};

/// Builds a codec from a type's functions.
[[nodiscard]] std::shared_ptr<const RecordCodec> make_record_codec(const RecordOps& ops);

}  // namespace hdb::record
