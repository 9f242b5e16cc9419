// Reads values of records from JSON: schema/EXACT_DUMP.md, "Values".
#pragma once

#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "exact/json_line.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/schema.hpp"

namespace hdb::inspect {

/// Reads values.
class ExactValueReader {
 public:
  /// `tables` must outlive the reader.
  explicit ExactValueReader(const std::vector<TableDescriptor>& tables) : tables_(&tables) {}

  /// Reads a record. `out` is good until the next call, and while the line and `root` are.
  /// Errors: bad_exact_dump, with the path of the field in `where`.
  [[nodiscard]] Status read(const JsonLine& line, const JsonNode& node, const Field& root,
                            Value& out);

 private:
  // Each returns false after a fault.
  [[nodiscard]] bool take(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_scalar(const Field& field, const JsonNode& node, std::uint64_t& bits);
  [[nodiscard]] bool take_handle(const Field& field, const JsonNode& node, std::uint64_t& bits);
  [[nodiscard]] bool take_structure(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_elements(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_pairs(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_optional(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_variant(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] bool take_bytes(const Field& field, const JsonNode& node, Value& out);
  [[nodiscard]] std::span<std::byte> memory(std::size_t size);
  bool fault(std::string what);
  bool within(std::string_view part);
  bool refuse(std::string_view needed, const JsonNode& node);

  const std::vector<TableDescriptor>* tables_;
  const JsonLine* line_ = nullptr;
  std::pmr::monotonic_buffer_resource memory_;
  std::string scratch_;
  std::string fault_;
  std::string path_;
};

}  // namespace hdb::inspect
