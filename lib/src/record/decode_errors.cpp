// What a load says where it must stop.
#include <string>

#include "evolve/match.hpp"
#include "hdb/detail/record/decode_archive.hpp"

namespace hdb::detail::record {

void DecodeArchive::stop_unknown(const char* name, std::int32_t unnamed, FieldKind own) {
  const std::string asked = name != nullptr ? name : "#" + std::to_string(unnamed);
  const PlanNode* at = frame_.node;
  for (const std::uint32_t index : frame_.node->children) {
    if (visits_[index] == frame_.id || !nodes_[index].must_be_read) continue;
    at = &nodes_[index];  // what was most likely meant
    break;
  }
  stop(ErrorCode::type_mismatch,
       "load reads " +
           (name != nullptr ? "'" + asked + "'" : "an unnamed field ('" + asked + "')") + " as " +
           std::string(kind_name(own)) + ", but save writes " +
           type_text(field_of(stored_, index_of(*frame_.node))),
       at);
}

void DecodeArchive::stop_boolean(std::uint64_t bits, const PlanNode* node) {
  stop(ErrorCode::bad_value, "a boolean is " + std::to_string(bits) + " instead of 0 or 1", node);
}

void DecodeArchive::stop_range(const PlanNode* node) {
  stop(ErrorCode::value_out_of_range, "a stored number does not fit the program's type", node);
}

void DecodeArchive::stop_short(const PlanNode& node) {
  stop(ErrorCode::bad_lengths, "the column ends before its last value", &node);
}

void DecodeArchive::stop_raw() {
  stop(ErrorCode::bad_value, "the type reads other bytes than the opaque value holds", nullptr);
}

void DecodeArchive::stop_kind(const PlanNode& node, FieldKind own) {
  if (check_ != nullptr) {
    stop(ErrorCode::type_mismatch,
         "save writes it as " + type_text(field_of(stored_, index_of(node))) +
             ", but load reads it as " + std::string(kind_name(own)),
         &node);
  }
  stop(ErrorCode::type_mismatch,
       "the file holds " + std::string(kind_name(node.kind)) + ", but the program reads " +
           std::string(kind_name(own)),
       &node);
}

}  // namespace hdb::detail::record
