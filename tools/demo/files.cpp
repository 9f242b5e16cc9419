// Plain reading and writing of small files.
#include "files.hpp"

#include <fstream>
#include <ios>
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

}  // namespace demo
