// Values of records as JSON that reads back to the same bits, and back: schema/EXACT_DUMP.md,
// "Values".
#pragma once

#include <functional>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exact/json_line.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/schema.hpp"

namespace hdb::inspect {

/// Writes values.
class JsonValueWriter {
 public:
  enum class Form : std::uint8_t {
    plain,  ///< As value_json: for people and other programs.
    exact,  ///< An optional is an array, so that its value may be null too.
  };
  /// `tables` must outlive the writer, and schemas the values written. `spill` is called in the
  /// middle of a very large value: it may take what was written so far.
  JsonValueWriter(const std::vector<TableDescriptor>& tables, Form form,
                  std::function<void()> spill = {})
      : namer_(tables), form_(form), spill_(std::move(spill)) {}

  void append(const Value& value, std::string& out);
  /// How many JSON values were written since the last call: import takes kMaxLineValues in a line.
  [[nodiscard]] std::uint64_t take_count() noexcept;

 private:
  void append_scalar(const Field& field, std::uint64_t bits, std::string& out);
  void append_elements(const Value& value, std::string& out);
  void append_fields(const Value& value, std::string& out);

  void spill_if_large(const std::string& out) const {
    if (spill_ && out.size() > kSpillBytes) spill_();
  }

  static constexpr std::size_t kSpillBytes = std::size_t{8} << 20;
  HandleNamer namer_;
  Form form_;
  std::function<void()> spill_;
  std::unordered_map<const Field*, std::string> names_;  // "\"hp\":", made once
  std::uint64_t count_ = 0;
};

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
  [[nodiscard]] bool take_packed(const Field& field, const JsonNode& node, Value& out);
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
