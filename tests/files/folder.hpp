// Plain file helpers for tests that do not use hdb.
#pragma once

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "hdb/atomic_file.hpp"
#include "hdb/bytes.hpp"
#include "support/folder.hpp"

namespace hdb::test {

inline void put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The content, or "(none)".
inline std::string get(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "(none)";
  return {std::istreambuf_iterator<char>(file), {}};
}

#if !defined(_WIN32)
inline unsigned mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777u : 0;
}

/// As if the file had last changed that long ago.
inline void set_age(const std::string& path, std::chrono::seconds age) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
}

inline std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

#endif

/// Where files are in memory and an fsync takes no time, if the machine has such a place.
inline std::filesystem::path fast_parent() {
#if !defined(_WIN32)
  if (::access("/dev/shm", W_OK) == 0) return "/dev/shm";
#endif
  return std::filesystem::temp_directory_path();
}

/// Saves `text` in blocks; the whole life of an AtomicFile.
inline Result<CommitReport> save_text(const std::string& path, const std::string& text,
                                      const AtomicFileOptions& options = {},
                                      std::size_t block_bytes = 4096) {
  auto file = AtomicFile::create(path, options);
  if (!file) return fail(file.error());
  if (auto reserved = (*file)->reserve(text.size()); !reserved) return fail(reserved.error());
  for (std::size_t at = 0; at < text.size(); at += block_bytes) {
    auto done = (*file)->write(bytes_of(text).subspan(at, std::min(block_bytes, text.size() - at)));
    if (!done) return fail(done.error());
  }
  return (*file)->commit();
}

/// A text of `size` bytes that differs from seed to seed in every 16 bytes.
inline std::string sample_text(std::size_t size, unsigned seed) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) {
    text += "v" + std::to_string(seed) + ":" + std::to_string(i * 7919 + seed) + ";";
  }
  text.resize(size);
  return text;
}

}  // namespace hdb::test
