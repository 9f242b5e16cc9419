// Fields as C programs write them, to and from schemas.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/c.h"
#include "hdb/inspect/schema.hpp"
#include "record/runtime_records.hpp"

namespace hdb::c {

/// A schema as hdb_field structures, with everything they point to.
class FieldTree {
 public:
  FieldTree() = default;
  /// `root` outlives the tree. Offsets and strides are those of the given fields, or 0.
  FieldTree(const Field& root, const hdb_field* given, std::size_t given_count);

  [[nodiscard]] const std::vector<hdb_field>& fields() const noexcept { return fields_; }

 private:
  void add(const Field& field, const hdb_field* given);

  std::vector<hdb_field> fields_;
  std::vector<std::unique_ptr<FieldTree>> children_;
  struct Names {
    std::vector<Enumerator> enumerators;
    std::vector<const char*> names;
    std::vector<std::uint64_t> numbers;
  };
  std::vector<std::unique_ptr<Names>> names_;
};

/// Reads the fields of a record of `table`. With `record_size`, also the places of a struct.
/// Errors: BadArgument; refused_type for places that cannot be told.
[[nodiscard]] detail::record::RuntimeType read_fields(std::string_view table,
                                                      const hdb_field* fields, std::size_t count,
                                                      std::size_t record_size,
                                                      std::size_t record_alignment);

}  // namespace hdb::c
