// Reads the catalog of a save; of its records only slots of one table.
#include "interface/file_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "archive/place.hpp"
#include "folder.hpp"
#include "hdb/inspect/paths.hpp"
#include "input.hpp"
#include "names.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

constexpr std::size_t kMostRecords = 200;
constexpr std::size_t kMostGroups = 16;

// As a shell reads it.
std::string with_home(std::string path) {
  const char* const home = std::getenv("HOME");
  if (path.starts_with("~/") && home != nullptr) path.replace(0, 1, home);
  return path;
}

std::shared_ptr<const Reader> save_of(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::error_code error;
  for (std::string path : paths) {
    path = with_home(std::move(path));
    if (fs::is_directory(utf8_path(path), error)) {
      const auto names = names_in(path);
      if (!names || names->empty()) continue;
      path = path_in(path, names->back());
    }
    if (!fs::is_regular_file(utf8_path(path), error)) continue;
    if (auto reader = open_reader(path)) return *reader;
  }
  return nullptr;
}

class Words {
 public:
  // `more`: characters of words that the scripts of shells quote.
  explicit Words(std::string begin, std::string_view more = {})
      : begin_(std::move(begin)), plain_("_.:@,/=-" + std::string(more)) {}
  // A shell would run a name such as $(reboot), and words are offered without quotes.
  void add(const std::string& word) {
    const bool is_plain = std::all_of(word.begin(), word.end(), [this](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
             plain_.find(c) != std::string::npos;
    });
    if (!is_plain || !word.starts_with(begin_) || word.starts_with('-')) return;
    text_ += word + '\n';
    ++count_;
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  std::string begin_;
  std::string plain_;
  std::size_t count_ = 0;
  std::string text_;
};

// Live records whose slots begin with the digits typed.
void add_records(const Reader& reader, std::size_t table, const std::string& digits, Words& words) {
  const TableDescriptor& its = reader.tables()[table];
  RowGroup slots;
  std::size_t left = kMostRecords;
  std::size_t groups = kMostGroups;
  for (std::uint64_t group = 0; group < its.group_count() && groups > 0 && left > 0; ++group) {
    const std::uint64_t first = group << its.group_shift;
    const std::uint64_t last =
        std::min<std::uint64_t>(its.slot_count, (group + 1) << its.group_shift);
    std::vector<std::uint64_t> fitting;
    for (std::uint64_t slot = first; slot < last; ++slot) {
      if (std::to_string(slot).starts_with(digits)) fitting.push_back(slot);
    }
    if (fitting.empty()) continue;
    --groups;
    if (!reader.read_columns(table, group, {}, slots)) return;
    for (const std::uint64_t slot : fitting) {
      const auto row = static_cast<std::size_t>(slot - first);
      if (left == 0 || static_cast<SlotState>(slots.states[row]) != SlotState::live) continue;
      words.add(handle_name(its, slot, slots.generations[row]));
      --left;
    }
  }
}

// Worlds and saves of an archive file. A server is not asked, since that may take long.
std::string archive_words(FileWord kind, const std::string& begin,
                          const std::vector<std::string>& paths) {
  const std::size_t at = kind == FileWord::save ? begin.rfind('@') : std::string::npos;
  std::string before = at == std::string::npos ? "" : begin.substr(0, at + 1);
  std::string path = before.substr(0, before.size() - (before.empty() ? 0 : 1));
  std::error_code error;
  for (const std::string& each : paths) {
    if (kind == FileWord::world && path.empty() && is_archive(each)) path = each;
  }
  path = with_home(std::move(path));
  if (!is_archive(path) || !std::filesystem::is_regular_file(utf8_path(path), error)) return {};
  const auto archive = open_archive(path);
  const auto versions = archive ? (*archive)->versions() : fail(archive.error());
  if (!versions) return {};
  Words words(begin);
  const bool is_world = kind == FileWord::world || begin.find('/', before.size()) == begin.npos;
  std::string last;
  for (const ArchiveVersion& version : *versions) {
    if (words.count() == kMostRecords) break;
    if (!is_world) words.add(before + version.text());
    if (is_world && version.world != last)
      words.add(before + version.world + (kind == FileWord::save ? "/" : ""));
    last = version.world;
  }
  return words.text();
}

}  // namespace

std::string file_words(FileWord kind, const std::string& begin,
                       const std::vector<std::string>& paths) {
  if (kind == FileWord::world || kind == FileWord::save) return archive_words(kind, begin, paths);
  const auto reader = save_of(paths);
  // A part of a record has a number where "[]" is in the path of its field.
  Words words(begin, kind == FileWord::field ? "[]<>" : "<>");
  if (reader == nullptr) return {};
  const std::vector<TableDescriptor>& tables = reader->tables();
  const auto fields_of = [&](std::size_t table) {
    const Field& root = reader->schemas()[tables[table].schema];
    std::vector<std::string> paths_of = field_paths(root);
    for (std::string& path : paths_of) {
      std::string bare = path;  // a path needs no "?"
      std::erase(bare, '?');
      if (find_field(root, bare)) path = std::move(bare);
    }
    return distinct(paths_of);
  };
  if (kind == FileWord::table) {
    for (const TableDescriptor& table : tables) words.add(table.name);
    return words.text();
  }
  if (kind == FileWord::field) {
    const std::string before = begin.substr(0, begin.rfind(',') + 1);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      for (const std::string& path : fields_of(i)) all.push_back(before + path);
    }
    for (const std::string& path : distinct(all)) words.add(path);
    return words.text();
  }
  // A colon in the name of a table is not in that of a record.
  const std::size_t colon = begin.rfind(':');
  if (colon == std::string::npos) {
    for (const TableDescriptor& table : tables) {
      if (!table.policy.is_component) words.add(table.name + ':');
    }
    return words.text();
  }
  const auto table = find_table(tables, begin.substr(0, colon));
  if (!table || tables[*table].policy.is_component) return {};
  const std::size_t dot = begin.find('.', colon);
  if (dot == std::string::npos) {
    const std::size_t at = std::min(begin.find('@', colon), begin.size());
    add_records(*reader, *table, begin.substr(colon + 1, at - colon - 1), words);
    return words.text();
  }
  for (const std::string& path : fields_of(*table))
    words.add(begin.substr(0, dot + 1) + path + (kind == FileWord::edit ? "=" : ""));
  return words.text();
}

}  // namespace hdb::inspect
