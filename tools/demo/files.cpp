// Plain reading and writing of small files.
#include "files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <ios>
#include <iterator>
#include <sstream>

namespace demo {

tl::expected<std::string, std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return tl::unexpected<std::string>(path + ": the file cannot be opened");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) return tl::unexpected<std::string>(path + ": the file cannot be read");
  return text.str();
}

bool write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  return static_cast<bool>(file.flush());
}

std::string to_text(const Trace& trace) {
  std::string text;
  for (const TickHashes& hashes : trace) {
    fmt::format_to(std::back_inserter(text), "{:016x} {:016x}\n", hashes.moving, hashes.fates);
  }
  return text;
}

Trace parse_trace(const std::string& text) {
  Trace trace;
  std::istringstream in(text);
  in >> std::hex;
  for (TickHashes hashes; in >> hashes.moving >> hashes.fates;) trace.push_back(hashes);
  return trace;
}

}  // namespace demo
