// Loads bytes that may be anything, and checks what Database::load promises.
#pragma once

#include <memory>
#include <span>

#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::fuzz {

/// Two databases with the declared tables.
///
///   F1  A refused file changes nothing: the state hash is what it was; the refusal says why.
///   F2  A loaded state holds its invariants, can be read, edited, and brought back to what was
///       before.
///   F3  save and load of a loaded state give the same state hash and the same next handles.
///   F4  A loaded state whose schemas are the program's own has the state hash of its file, once
///       that was verified.
class LoadCheck {
 public:
  LoadCheck();

  /// Loads `bytes` with the limits of limits_for and checks F1 to F4. The load's result.
  [[nodiscard]] Result<LoadReport> run(std::span<const std::byte> bytes, const LoadOptions& how);

 private:
  void check_extras();
  void check_loaded(const LoadReport& report, const LoadOptions& how);

  Database db_;
  Database copy_;
  Snapshot before_;
  Hash128 hash_before_;
};

}  // namespace hdb::fuzz
