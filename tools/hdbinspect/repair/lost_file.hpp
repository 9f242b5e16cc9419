// The list of what a repair lost, one JSON object a line.
#pragma once

#include <memory>
#include <string>

#include "hdb/atomic_file.hpp"
#include "hdb/inspect/salvage.hpp"

namespace hdb::inspect {

/// Without `commit`, no file is left, and one that was there stays.
class LostFile {
 public:
  [[nodiscard]] static Result<LostFile> create(const std::string& path);
  /// `commit` reports the first write that failed.
  void add(const LostSlot& lost);
  void add(const LostReference& lost);
  [[nodiscard]] Status commit();

 private:
  LostFile(std::unique_ptr<AtomicFile> file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}
  void write(std::string line);

  std::unique_ptr<AtomicFile> file_;
  std::string path_;
  Status status_;
};

}  // namespace hdb::inspect
