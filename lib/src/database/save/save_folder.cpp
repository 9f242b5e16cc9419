// Listing a folder of saves, and choosing the file of the next one.
#include "database/save/save_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "database/save/capture_order.hpp"
#include "database/save/save_names.hpp"
#include "files/backups.hpp"
#include "files/save_target.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb {
namespace {

constexpr std::uint64_t kNewest = std::numeric_limits<std::uint64_t>::max();

struct Listed {
  SaveEntry entry;
  std::int64_t modified_ns = std::numeric_limits<std::int64_t>::max();  // unknown: the newest

  // Of two files with a number, or of two without, the one to show or load first comes first.
  // Sequence numbers end, and a file may have the last one by mistake. All later saves of its
  // folder have that number too: of them the file that was written last is the newest. So it is of
  // files without a number.
  [[nodiscard]] auto rank() const {
    const Metadata none;
    const Metadata& metadata = entry.info ? entry.info->metadata : none;
    const bool by_time = !entry.info || metadata.sequence == kNewest;
    return std::tuple(kNewest - metadata.sequence, by_time ? -modified_ns : 0,
                      ~metadata.date_unix_ms, entry.kind, std::string_view(entry.name),
                      entry.backup);
  }
};

// The place of a file without a number among `numbered`, the newest first: before the first file
// that was not written later, but after its own save and the backups that are newer by their names.
std::size_t place_of(const Listed& file, const std::vector<Listed>& numbered) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    const SaveEntry& other = numbered[i].entry;
    if (is_same_save(other, file.entry) && other.backup < file.entry.backup) place = i + 1;
  }
  while (place < numbered.size() && numbered[place].modified_ns > file.modified_ns) ++place;
  return place;
}

std::uint64_t microseconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

}  // namespace

bool is_same_save(const SaveEntry& a, const SaveEntry& b) noexcept {
  return a.kind == b.kind && a.name == b.name;
}

std::string file_of(const SaveEntry& entry) {
  if (entry.kind == SaveKind::renamed) return entry.name;
  const std::string file =
      entry.kind == SaveKind::named
          ? named_file(entry.name)
          : ring_file(entry.kind, static_cast<unsigned>(std::stoul(entry.name)));
  return entry.backup == 0 ? file : backup_name(file, entry.backup);
}

bool is_damage(ErrorCode code) noexcept {
  return category_of(code) == ErrorCategory::corrupt || code == ErrorCode::not_regular;
}

bool may_be_read_later(ErrorCode code) noexcept {
  const ErrorCategory category = category_of(code);
  return (category == ErrorCategory::io || category == ErrorCategory::busy) && !is_damage(code);
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

// The names of the files; of those that belong to `wanted` and to rings if the folder may be used
// but not listed.
Result<std::vector<std::string>> SaveFolder::file_names(Descriptor folder, const SaveName* wanted,
                                                        bool& is_whole) const {
  const auto all = retry_interrupted([&] { return files().list(folder); });
  if (all) return *all;
  if (wanted == nullptr || all.error().number != EACCES)
    return fail(os_failure(all.error(), "listing the folder of saves", folder_));
  is_whole = false;
  std::vector<std::string> names;
  std::optional<OsError> problem;
  const auto add = [&](std::string name) {
    const auto status = retry_interrupted([&] { return files().status_at(folder, name); });
    const bool is_missing =
        !status && (status.error().number == ENOENT || status.error().number == ENAMETOOLONG);
    if (!status && !is_missing && !problem) problem = status.error();
    if (status) names.push_back(std::move(name));
  };
  for (unsigned i = 1; i <= options_.quicksaves; ++i) add(ring_file(SaveKind::quick, i));
  for (unsigned i = 1; i <= options_.autosaves; ++i) add(ring_file(SaveKind::autosave, i));
  if (wanted->kind == SaveKind::named) {
    const std::string file = file_of_name(wanted->text);
    add(file);
    for (unsigned i = 1; i <= options_.keep; ++i) add(backup_name(file, i));
  }
  if (problem) return fail(os_failure(*problem, "looking for saves in the folder", folder_));
  return names;
}

Result<SaveFolder::List> SaveFolder::list_all(const SaveName* wanted) const {
  auto folder = open_folder(files(), folder_);
  if (!folder) return fail(std::move(folder.error()));
  List list;
  const auto names = file_names(folder->get(), wanted, list.is_whole);
  if (!names) return fail(names.error());
  std::vector<Listed> numbered;
  std::vector<Listed> others;
  for (const std::string& file : *names) {
    Listed one;
    if (auto parsed = parse_save_file(file)) {
      one.entry.kind = parsed->kind;
      one.entry.name = std::move(parsed->name);
      one.entry.backup = parsed->backup;
    } else if (is_renamed_copy(file)) {
      one.entry.kind = SaveKind::renamed;
      one.entry.name = file;
    } else {
      continue;
    }
    one.entry = read_entry(std::move(one.entry), file);
    const auto status = retry_interrupted([&] { return files().status_at(folder->get(), file); });
    if (status) {
      one.modified_ns = status->modified_ns;
    } else if (status.error().number == ENOENT && !one.entry.info) {
      continue;  // removed since the folder was listed
    }
    (one.entry.info ? numbered : others).push_back(std::move(one));
  }
  for (std::vector<Listed>* each : {&numbered, &others}) {
    std::sort(each->begin(), each->end(),
              [](const Listed& a, const Listed& b) { return a.rank() < b.rank(); });
  }
  std::multimap<std::size_t, SaveEntry> placed;  // equal places: in the order of `others`
  for (Listed& other : others) {
    const std::size_t place = place_of(other, numbered);
    placed.emplace(place, std::move(other.entry));
  }
  for (std::size_t i = 0; i < numbered.size(); ++i) placed.emplace(i, std::move(numbered[i].entry));
  for (auto& [place, entry] : placed) list.entries.push_back(std::move(entry));
  return list;
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

Status SaveFolder::check(const SaveName& name) {
  if (name.kind == SaveKind::named) return check_save_name(name.text);
  if (name.kind != SaveKind::renamed) return {};
  return fail(ErrorCode::bad_name,
              "no save has the name of a file that another program renamed; load that file by "
              "SaveEntry::path, remove it by its SaveEntry");
}

Result<SaveFolder::List> SaveFolder::list_for(const SaveName& name) const {
  if (Status checked = check(name); !checked) return fail(std::move(checked.error()));
  return list_all(&name);
}

// --- saving

// Requires: mutex_ is held.
std::string SaveFolder::choose_of_ring(SaveKind kind, const std::vector<SaveEntry>& entries) const {
  const unsigned count = kind == SaveKind::quick ? options_.quicksaves : options_.autosaves;
  // What a file holds: nothing that loads, a save, or what this program cannot read; then its
  // number and, of equal ones, its place in the list.
  enum class Content : std::uint8_t { none, save, unread };
  using Worth = std::tuple<Content, std::uint64_t, std::size_t>;
  std::string chosen;
  Worth lowest;
  for (unsigned number = 1; number <= count; ++number) {
    const std::string file = ring_file(kind, number);
    Worth worth(Content::none, 0, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const SaveEntry& entry = entries[i];
      if (file_of(entry) != file) continue;
      const std::size_t place = entries.size() - i;
      if (!entry.info && category_of(entry.problem.code) != ErrorCategory::corrupt) {
        // Of a newer program, or it could not be read just now: the last to go.
        worth = Worth(Content::unread, 0, place);
      } else if (entry.info && !known_damaged_.contains(entry.info->file_id)) {
        worth = Worth(Content::save, entry.info->metadata.sequence, place);
      } else {
        worth = Worth(Content::none, 0, place);
      }
    }
    for (std::size_t i = 0; i < given_.size(); ++i) {
      const Given& given = given_[i];
      // A save that has ended says no more of the file than the file itself, but which of equal
      // numbers is the newer.
      if (given.file != file || (!given.is_running && std::get<0>(worth) == Content::none))
        continue;
      worth = std::max(worth, Worth(Content::save, given.sequence, entries.size() + 1 + i));
    }
    if (chosen.empty() || worth < lowest) std::tie(chosen, lowest) = std::tuple(file, worth);
  }
  return chosen;
}

// Requires: mutex_ is held.
bool SaveFolder::has_newer(SaveKind ring, std::uint64_t moment,
                           const std::vector<SaveEntry>& entries) const {
  const auto is_newer = [&](const Given& given) {
    return given.is_running && given.kind == ring && given.moment > moment;
  };
  return std::any_of(given_.begin(), given_.end(), is_newer) ||
         std::any_of(entries.begin(), entries.end(), [&](const SaveEntry& entry) {
           return entry.kind == ring && entry.info &&
                  moment_of_file(entry.info->file_id, entry.info->state_hash) > moment;
         });
}

Result<std::shared_ptr<TakenFile>> SaveFolder::take(const Snapshot& snapshot, const SaveName& name,
                                                    SaveOptions& options) {
  const bool is_named = name.kind == SaveKind::named;
  if (Status made = make(); !made) return fail(std::move(made.error()));
  if (!is_named && options.expected) {
    return fail_at_path(ErrorCode::bad_options,
                        "SaveOptions::expected needs a named save: a ring replaces its oldest file",
                        folder_);
  }
  auto taken = std::make_shared<TakenFile>(shared_from_this());
  const std::uint64_t moment = moment_of(snapshot);
  // The list has each save that ends before; one that ends later counts as running.
  const std::lock_guard lock(mutex_);
  const auto list = list_for(name);
  if (!list) return fail(list.error());
  const std::vector<SaveEntry>& entries = list->entries;
  // Its number would make the older capture the newest save.
  if (!is_named && has_newer(name.kind, moment, entries))
    return superseded("a newer capture was saved to this ring", folder_);
  std::string file = is_named ? file_of_name(name.text) : choose_of_ring(name.kind, entries);
  std::uint64_t& sequence = options.metadata.sequence;
  if (sequence == 0) {
    for (const SaveEntry& entry : entries) {
      if (entry.info) sequence = std::max(sequence, entry.info->metadata.sequence);
    }
    for (const Given& given : given_) sequence = std::max(sequence, given.sequence);
    // Of saves that cannot be seen, only the clock knows which are older.
    if (!list->is_whole) sequence = std::max(sequence, microseconds_now());
    if (sequence < kNewest) ++sequence;
  }
  given_.push_back({file, name.kind, moment, sequence, true});
  given_.erase(std::remove_if(given_.begin(), given_.end() - 1,
                              [&](const Given& given) { return given.file == file; }),
               given_.end() - 1);
  taken->file_ = std::move(file);
  taken->sequence_ = sequence;
  options.file.keep = is_named ? options_.keep : 0;
  options.write.limits = options_.limits;
  options.file.file_system = options_.file_system;
  options.file.before_replace =
      [folder = shared_from_this(),
       given = std::move(options.file.before_replace)](ByteSource* old) -> Result<OldFile> {
    auto asked = given ? given(old) : Result<OldFile>(OldFile::sound);
    const bool is_damaged = asked && old != nullptr && folder->is_known_damaged(*old);
    return is_damaged ? OldFile::damaged : asked;
  };
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

void SaveFolder::end(const std::string& file, std::uint64_t sequence, bool saved) noexcept {
  const std::lock_guard lock(mutex_);
  const auto same = std::find_if(given_.begin(), given_.end(), [&](const Given& given) {
    return given.file == file && given.sequence == sequence;
  });
  if (same == given_.end()) return;  // a later save has the file
  same->is_running = false;
  if (!saved) given_.erase(same);
}

void SaveFolder::note_damaged(const Hash128& file_id) {
  const std::lock_guard lock(mutex_);
  known_damaged_.insert(file_id);
}

bool SaveFolder::is_known_damaged(ByteSource& file) {
  {
    const std::lock_guard lock(mutex_);
    if (known_damaged_.empty()) return false;
  }
  const auto info = read_info(file, options_.limits);
  const std::lock_guard lock(mutex_);
  return info && known_damaged_.contains(info->file_id);
}

void SaveFolder::forget(const std::string& file) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(given_, [&](const Given& given) { return given.file == file; });
}

TakenFile::~TakenFile() {
  if (!file_.empty()) folder_->end(file_, sequence_, saved_);
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
