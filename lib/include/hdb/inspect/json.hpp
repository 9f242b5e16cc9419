// JSON objects of one line, written by hand so that every text in them is safe and every number
// exact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hdb/hash.hpp"

namespace hdb {

/// A JSON string. Control, bidirectional and invisible characters are escaped; bytes that are not
/// UTF-8 make it an object {"hex": "..."} instead.
[[nodiscard]] std::string json_text(std::string_view text);
/// A JSON integer; a string outside of +-2^53, where readers would round.
[[nodiscard]] std::string json_number(std::int64_t value);
[[nodiscard]] std::string json_number(std::uint64_t value);

/// Builds one object, member by member.
class JsonObject {
 public:
  JsonObject() = default;
  /// An object that stands by itself in a line: with its type and the version of that type.
  explicit JsonObject(std::string_view type) {
    text("type", type);
    raw("v", "1");
  }
  JsonObject& raw(std::string_view name, std::string_view json);
  JsonObject& text(std::string_view name, std::string_view value) {
    return raw(name, json_text(value));
  }
  JsonObject& number(std::string_view name, std::uint64_t value) {
    return raw(name, json_number(value));
  }
  JsonObject& signed_number(std::string_view name, std::int64_t value) {
    return raw(name, json_number(value));
  }
  JsonObject& boolean(std::string_view name, bool value) {
    return raw(name, value ? "true" : "false");
  }
  JsonObject& hash(std::string_view name, const Hash128& value) { return text(name, value.hex()); }
  [[nodiscard]] std::string str() const { return members_.empty() ? "{}" : members_ + "}"; }

 private:
  std::string members_;
};

/// Builds an array, element by element.
class JsonArray {
 public:
  JsonArray& raw(std::string_view json) {
    elements_ += elements_.empty() ? '[' : ',';
    elements_ += json;
    return *this;
  }
  [[nodiscard]] std::string str() const { return elements_.empty() ? "[]" : elements_ + "]"; }

 private:
  std::string elements_;
};

}  // namespace hdb
