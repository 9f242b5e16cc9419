// The members of objects in a line of JSON, by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/inspect/json.hpp"

namespace hdb::inspect {

/// Reads the members of an object by name. The first fault is kept: ask `finish`.
class Members {
 public:
  Members(const JsonDocument& line, const JsonNode& object);

  [[nodiscard]] bool has(std::string_view name) const;
  /// The member; null when there is none.
  [[nodiscard]] const JsonNode* find(std::string_view name);
  /// The member, or null and a fault.
  [[nodiscard]] const JsonNode* need(std::string_view name);
  /// A text of UTF-8.
  [[nodiscard]] std::string_view text(std::string_view name);
  [[nodiscard]] bool boolean(std::string_view name);
  /// A whole number of 0 to `most`, also as a text.
  [[nodiscard]] std::uint64_t number(std::string_view name, std::uint64_t most);
  [[nodiscard]] std::int64_t signed_number(std::string_view name);
  [[nodiscard]] std::vector<const JsonNode*> elements(std::string_view name);

  void fault(std::string what);
  /// What a fault is about: the member's name is put before.
  void fault(std::string_view member, std::string what);
  /// Errors: the first fault, else a member that nobody asked for, else one that comes twice.
  [[nodiscard]] Status finish();

 private:
  const JsonDocument& line_;
  std::vector<const JsonNode*> members_;
  std::vector<bool> taken_;
  std::vector<std::string> asked_;
  std::size_t next_ = 0;
  std::string fault_;
};

}  // namespace hdb::inspect
