// The list of what a repair lost, one JSON object a line, up to a number of bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hdb/atomic_file.hpp"
#include "hdb/inspect/salvage.hpp"

namespace hdb::inspect {

/// What the list has no room for.
struct Unlisted {
  std::uint64_t records = 0;
  std::uint64_t references = 0;
  std::uint64_t values = 0;
  [[nodiscard]] bool is_any() const noexcept {
    return records != 0 || references != 0 || values != 0;
  }
};

/// Without `commit`, no file is left, and one that was there stays.
class LostFile {
 public:
  /// After `max_bytes`, lost handles and values are only counted: a damaged file of a few bytes can
  /// claim millions of them.
  [[nodiscard]] static Result<LostFile> create(const std::string& path, std::uint64_t max_bytes);
  /// `commit` reports the first write that failed.
  void add(const LostSlot& lost);
  void add(const LostReference& lost);
  void add(const LostValue& lost);
  /// Ends the list; its last line counts what is not in it.
  [[nodiscard]] Status commit();
  [[nodiscard]] const Unlisted& unlisted() const noexcept { return unlisted_; }

 private:
  LostFile(std::unique_ptr<AtomicFile> file, std::string path, std::uint64_t max_bytes)
      : file_(std::move(file)), path_(std::move(path)), bytes_left_(max_bytes) {}
  // Whether there was room for the line. After the first that has none, no line has.
  [[nodiscard]] bool list(const std::string& line);
  void write(std::string line);

  std::unique_ptr<AtomicFile> file_;
  std::string path_;
  std::uint64_t bytes_left_;
  Unlisted unlisted_;
  Status status_;
};

}  // namespace hdb::inspect
