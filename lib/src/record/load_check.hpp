// Loading through a type's own code, and the proof that this code loads what it saves.
#pragma once

#include <optional>
#include <span>

#include "hdb/detail/record/serialize_functions.hpp"

namespace hdb::detail::record {

/// Each pointer may be null.
struct DecodeOptions {
  LoadCheck* check = nullptr;             ///< Compares what load reads with what save wrote.
  const RowNamer* namer = nullptr;        ///< For errors.
  std::vector<Tally>* tallies = nullptr;  ///< Receives a tally for each stored node.
  EqualKeys equal_keys = EqualKeys::refuse;
  UnknownValue unknown_value = UnknownValue::refuse;
  std::vector<std::size_t>* dropped_rows = nullptr;  ///< Receives the rows to drop.
  /// Of a stored schema that is the type's: Discovery::fields, of which placed ones are loaded.
  std::optional<std::span<const PlacedField>> exact = {};
};

/// Decodes through the type's serialize or load.
[[nodiscard]] Status decode_rows(const SerializeFunctions& ops, const Plan& stored,
                                 std::span<const Bytes> columns, std::span<void* const> records,
                                 MemoryBudget& budget, const DecodeOptions& options = {});

/// Saves `object` by `plan` and loads it into another object; each structure must load the fields
/// that it saves, by the same names and types, in any order. Element types of containers, empty
/// ones too, are compared in the same way. Returns the difference, with the field's path. An
/// exception of the user's code ends the comparison without a finding: what it left uncompared is
/// compared by D4 when records are loaded.
[[nodiscard]] std::optional<Error> find_load_difference(const SerializeFunctions& ops,
                                                        const Plan& plan, const void* object,
                                                        LoadCheck& check);

}  // namespace hdb::detail::record
