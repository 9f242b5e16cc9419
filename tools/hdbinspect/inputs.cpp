// Compares outputs with inputs, by the files that their names lead to.
#include "inputs.hpp"

#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "archive/place.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

namespace fs = std::filesystem;

struct Inputs {
  std::mutex mutex;
  std::set<std::string> paths;  // guarded by mutex
};

Inputs& inputs() {
  static Inputs all;
  return all;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::equivalent(a, b, error);
}

// The log, the locks and the next files of an archive have its name and a suffix.
bool is_beside_archive(const fs::path& archive, const fs::path& output) {
  std::error_code error;
  for (const fs::path& file : {archive, fs::canonical(archive, error)}) {
    if (!utf8_text(output.filename()).starts_with(utf8_text(file.filename()) + '-')) continue;
    if (is_same_file(fs::absolute(file, error).parent_path(),
                     fs::absolute(output, error).parent_path()))
      return true;
  }
  return false;
}

Status refused(std::string what, const std::string& output) {
  return fail(Error{ErrorCode::bad_path, std::move(what), kNoOffset, "output", output});
}

}  // namespace

void note_input(const std::string& input) {
  const std::lock_guard lock(inputs().mutex);
  inputs().paths.insert(input);
}

Status check_is_not(const std::string& input, const std::string& output) {
  // A name of the system, which exists where standard input can be a file with a name.
  const std::string file = input == "-" ? "/dev/stdin" : input;
  const auto place = archive_place(file);
  const std::string archive = place ? place->archive : file;
  if (is_archive(archive) && !is_archive_url(archive)) {
    const bool same = is_same_file(utf8_path(archive), utf8_path(output));
    if (same || is_beside_archive(utf8_path(archive), utf8_path(output))) {
      return refused("the output is " + std::string(same ? "the" : "a file of the") + " archive " +
                         printable_text(archive) + ", which is read; choose another output",
                     output);
    }
  }
  if (!is_same_file(utf8_path(file), utf8_path(output))) return {};
  return refused("input and output are the same file; hdbinspect does not rewrite a file in place",
                 output);
}

Status check_is_not_read(const std::string& output) {
  const std::lock_guard lock(inputs().mutex);
  for (const std::string& input : inputs().paths) {
    if (Status checked = check_is_not(input, output); !checked) return checked;
  }
  return {};
}

}  // namespace hdb::inspect
