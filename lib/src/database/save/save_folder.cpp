// Listing a folder of saves, and choosing the file of the next one.
#include "database/save/save_folder.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "database/save/save_names.hpp"
#include "files/backups.hpp"
#include "files/save_target.hpp"

namespace hdb {
namespace {

constexpr std::uint64_t kNewest = std::numeric_limits<std::uint64_t>::max();

// Sequence numbers end, and a file may have the last one by mistake. All later saves of its folder
// have that number too: of them the file that was written last is the newest. So it is of files
// that cannot be read.
struct Listed {
  SaveEntry entry;
  std::int64_t modified_ns = 0;  // where the number does not say which is newer, else 0

  // Of two files the one to show or load first comes first.
  [[nodiscard]] auto rank() const {
    const Metadata none;
    const Metadata& metadata = entry.info ? entry.info->metadata : none;
    return std::tuple(!entry.info, kNewest - metadata.sequence, -modified_ns,
                      ~metadata.date_unix_ms, entry.kind, std::string_view(entry.name),
                      entry.backup);
  }
};

bool needs_time(const SaveEntry& entry) {
  return !entry.info || entry.info->metadata.sequence == kNewest;
}

}  // namespace

std::string file_of(const SaveEntry& entry) {
  const std::string file =
      entry.kind == SaveKind::named
          ? named_file(entry.name)
          : ring_file(entry.kind, static_cast<unsigned>(std::stoul(entry.name)));
  return entry.backup == 0 ? file : backup_name(file, entry.backup);
}

bool is_damage(const Error& error) noexcept {
  const ErrorCategory category = category_of(error.code);
  return category == ErrorCategory::corrupt || category == ErrorCategory::io;
}

Result<OwnedDescriptor> open_folder(FileSystem& files, const std::string& folder) {
  const auto opened =
      retry_interrupted([&] { return files.open_directory(kCurrentDirectory, folder); });
  if (!opened) return fail(os_failure(opened.error(), "opening the folder of saves", folder));
  return OwnedDescriptor(files, *opened);
}

FileSystem& SaveFolder::files() const noexcept {
  return options_.file_system != nullptr ? *options_.file_system : system_files();
}

SaveEntry SaveFolder::read_entry(SaveEntry entry, const std::string& file) const {
  entry.path = folder_ + "/" + file;
  auto info = read_info(entry.path, options_.limits, &files());
  if (info) {
    entry.info = *std::move(info);
  } else {
    entry.problem = std::move(info.error());
  }
  return entry;
}

Result<std::vector<SaveEntry>> SaveFolder::list_all() const {
  auto folder = open_folder(files(), folder_);
  if (!folder) return fail(std::move(folder.error()));
  const auto names = retry_interrupted([&] { return files().list(folder->get()); });
  if (!names) return fail(os_failure(names.error(), "listing the folder of saves", folder_));
  std::vector<Listed> listed;
  for (const std::string& file : *names) {
    auto parsed = parse_save_file(file);
    if (!parsed) continue;
    Listed one;
    one.entry.kind = parsed->kind;
    one.entry.name = std::move(parsed->name);
    one.entry.backup = parsed->backup;
    one.entry = read_entry(std::move(one.entry), file);
    if (needs_time(one.entry)) {
      const auto status = files().status_at(folder->get(), file);
      if (status) one.modified_ns = status->modified_ns;
    }
    listed.push_back(std::move(one));
  }
  std::sort(listed.begin(), listed.end(),
            [](const Listed& a, const Listed& b) { return a.rank() < b.rank(); });
  std::vector<SaveEntry> entries;
  for (Listed& one : listed) entries.push_back(std::move(one.entry));
  return entries;
}

std::string SaveFolder::file_of_name(std::string_view name) const {
  std::string former = former_named_file(name);
  std::string file = named_file(name);
  const auto folder = open_folder(files(), folder_);
  if (!folder || former == file) return file;
  for (const std::string& each : {former, backup_name(former, 1)}) {
    if (retry_interrupted([&] { return files().status_at(folder->get(), each); })) return former;
  }
  return file;
}

Result<std::vector<SaveEntry>> SaveFolder::list_for(const SaveName& name) const {
  if (name.kind == SaveKind::named) {
    if (auto checked = check_save_name(name.text); !checked)
      return fail(std::move(checked.error()));
  }
  return list_all();
}

// --- saving

// Requires: mutex_ is held.
std::string SaveFolder::choose_of_ring(SaveKind kind, const std::vector<SaveEntry>& entries) const {
  const unsigned count = kind == SaveKind::quick ? options_.quicksaves : options_.autosaves;
  // What a file holds, the worst first; then its number and, of equal ones, its place in the list.
  enum class Content : std::uint8_t { none, save, unread };
  using Worth = std::tuple<Content, std::uint64_t, std::size_t>;
  std::string chosen;
  Worth lowest;
  for (unsigned number = 1; number <= count; ++number) {
    const std::string file = ring_file(kind, number);
    Worth worth(Content::none, 0, 0);  // missing or damaged
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const SaveEntry& entry = entries[i];
      if (file_of(entry) != file) continue;
      const std::size_t place = entries.size() - i;
      if (entry.info) {
        worth = Worth(Content::save, entry.info->metadata.sequence, place);
      } else if (category_of(entry.problem.code) != ErrorCategory::corrupt) {
        // Of a newer program, or it could not be read just now: the last to go.
        worth = Worth(Content::unread, 0, place);
      }
    }
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (given_[i].file != file) continue;
      worth = std::max(worth, Worth(Content::save, given_[i].sequence, entries.size() + 1 + i));
    }
    if (chosen.empty() || worth < lowest) std::tie(chosen, lowest) = std::tuple(file, worth);
  }
  return chosen;
}

Result<std::shared_ptr<TakenFile>> SaveFolder::take(const SaveName& name, SaveOptions& options) {
  const bool is_named = name.kind == SaveKind::named;
  if (Status made = make(); !made) return fail(std::move(made.error()));
  auto entries = list_for(name);
  if (!entries) return fail(std::move(entries.error()));
  auto taken = std::make_shared<TakenFile>(shared_from_this());
  const std::lock_guard lock(mutex_);
  std::string file = is_named ? file_of_name(name.text) : choose_of_ring(name.kind, *entries);
  std::uint64_t& sequence = options.metadata.sequence;
  if (sequence == 0) {
    for (const SaveEntry& entry : *entries) {
      if (entry.info) sequence = std::max(sequence, entry.info->metadata.sequence);
    }
    for (const Given& given : given_) sequence = std::max(sequence, given.sequence);
    if (sequence < kNewest) ++sequence;
  }
  given_.push_back({file, sequence});
  given_.erase(std::remove_if(given_.begin(), given_.end() - 1,
                              [&](const Given& given) { return given.file == file; }),
               given_.end() - 1);
  taken->file_ = std::move(file);
  taken->sequence_ = sequence;
  options.file.keep = is_named ? options_.keep : 0;
  options.write.limits = options_.limits;
  options.file.file_system = options_.file_system;
  return taken;
}

Status SaveFolder::make() {
  const auto made = make_folder(files(), folder_);
  if (!made) return fail(made.error());
  if (*made) {
    was_made_ = true;
    is_durable_ = false;
  }
  return {};
}

Status SaveFolder::make_durable() {
  if (is_durable_) return {};
  Status synced = sync_name_of_folder(files(), folder_, was_made_);
  is_durable_ = synced.has_value();
  return synced;
}

void SaveFolder::give_back(const std::string& file, std::uint64_t sequence) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(
      given_, [&](const Given& given) { return given.file == file && given.sequence == sequence; });
}

void SaveFolder::forget(const std::string& file) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(given_, [&](const Given& given) { return given.file == file; });
}

TakenFile::~TakenFile() {
  if (!saved_ && !file_.empty()) folder_->give_back(file_, sequence_);
}

std::string TakenFile::path() const { return folder_->path() + "/" + file_; }

Result<SaveReport> TakenFile::save(const Snapshot& snapshot, const SaveOptions& options) {
  // Again: a save in the background may begin long after take.
  if (Status made = folder_->make(); !made) return fail(std::move(made.error()));
  Status folder_durable = folder_->make_durable();
  auto report = hdb::save(snapshot, path(), options);
  saved_ = report.has_value();
  if (report) lower_outcome(*report, std::move(folder_durable));
  return report;
}

void lower_outcome(SaveReport& report, Status folder_durable) {
  if (report.outcome != SaveOutcome::durable || folder_durable) return;
  report.outcome = SaveOutcome::replaced_not_durable;
  report.problem = std::move(folder_durable.error());
}

}  // namespace hdb
