// Lists folders, sorts out what is not a save, and orders the rest by time.
#include "history/series.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "archive/place.hpp"
#include "folder.hpp"
#include "input.hpp"
#include "memory_limit.hpp"
#include "signals.hpp"
#include "system/paths.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

namespace fs = std::filesystem;
using Counter = std::atomic<std::uint64_t>;

// Counts what is read.
class CountedSource final : public ByteSource {
 public:
  CountedSource(std::unique_ptr<ByteSource> source, std::shared_ptr<Counter> bytes)
      : source_(std::move(source)), bytes_(std::move(bytes)) {}
  [[nodiscard]] Result<std::uint64_t> size() override { return source_->size(); }
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> out) override {
    bytes_->fetch_add(out.size(), std::memory_order_relaxed);
    return source_->read_at(offset, out);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::shared_ptr<Counter> bytes_;
};

Result<std::unique_ptr<ByteSource>> open_counted(const std::string& path,
                                                 const std::shared_ptr<Counter>& bytes) {
  auto source = open_source(path);
  if (!source) return source;
  return std::make_unique<CountedSource>(*std::move(source), bytes);
}

// The saves that lie in archives, by their names in messages.
struct Archived {
  std::shared_ptr<Archive> archive;
  ArchiveVersion version;
};
using ArchivedSaves = std::map<std::string, Archived>;

class MixedSeries final : public SaveSeries {
 public:
  MixedSeries(std::vector<SeriesSave> saves, ArchivedSaves archived, std::shared_ptr<Counter> bytes,
              bool verify)
      : saves_(std::move(saves)),
        archived_(std::move(archived)),
        bytes_(std::move(bytes)),
        verify_(verify) {}

  [[nodiscard]] const std::vector<SeriesSave>& saves() const override { return saves_; }

  [[nodiscard]] Result<std::shared_ptr<const Reader>> open(std::size_t save) const override {
    const SeriesSave& wanted = saves_[save];
    const auto archived = archived_.find(wanted.name);
    auto source = archived == archived_.end() ? open_counted(wanted.name, bytes_)
                                              : open_archived(archived->second);
    if (!source) return fail(with_file(std::move(source.error()), wanted.name));
    ReadOptions options;
    options.limits = read_limits();
    options.verify_raw_hashes = verify_;
    auto reader = Reader::open(*std::move(source), options);
    if (!reader) return fail(with_file(std::move(reader.error()), wanted.name));
    // A save of an archive never changes.
    if (archived == archived_.end() && (*reader)->info().file_id != wanted.info.file_id) {
      return fail(file_error(wanted.name, ErrorCode::file_changed,
                             "the game replaced the save while the series was read"));
    }
    return std::shared_ptr<const Reader>(*std::move(reader));
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<ByteSource>> open_archived(const Archived& save) const {
    auto source = save.archive->source(save.version, read_limits());
    if (!source) return source;
    return std::make_unique<CountedSource>(*std::move(source), bytes_);
  }

  std::vector<SeriesSave> saves_;
  ArchivedSaves archived_;
  std::shared_ptr<Counter> bytes_;
  bool verify_;
};

// Threads that read what files say about themselves, and the files that are worth a thread.
constexpr std::size_t kMostReaders = 8;
constexpr std::size_t kFilesOfAReader = 16;

struct JoinedThreads {
  JoinedThreads() = default;
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;
  ~JoinedThreads() {
    for (std::thread& thread : threads) thread.join();
  }
  std::vector<std::thread> threads;
};

// Gathers the saves of WHERE.
class Finder {
 public:
  Finder(const Context& context, ExitStatus& status, std::shared_ptr<Counter> bytes,
         std::string except)
      : context_(context), status_(status), bytes_(std::move(bytes)), except_(std::move(except)) {}

  void add(const std::string& path) {
    if (is_archive(path)) return add_archive(path, {});
    if (const auto place = archive_place(path);
        place && place->version.find('/') == std::string::npos)
      return add_archive(place->archive, place->version);
    std::error_code error;
    if (fs::is_directory(utf8_path(path), error)) return add_folder(path);
    if (auto info = info_of(path)) {
      saves_.push_back({path, *std::move(info)});
    } else {
      report(info.error());
    }
  }

  std::vector<SeriesSave> take() {
    note_other_files(context_, others_);
    std::sort(saves_.begin(), saves_.end(), is_earlier);
    const auto twins =
        std::unique(saves_.begin(), saves_.end(),
                    [](const SeriesSave& a, const SeriesSave& b) { return a.name == b.name; });
    saves_.erase(twins, saves_.end());
    note_ambiguous();
    return std::move(saves_);
  }
  /// Those of take() that lie in archives.
  ArchivedSaves take_archived() { return std::move(archived_); }

 private:
  void report(const Error& error) { status_ = worse(status_, context_.messages.error(error)); }

  [[nodiscard]] Result<FileInfo> info_of(const std::string& path) const {
    auto source = open_counted(path, bytes_);
    if (!source) return fail(std::move(source.error()));
    auto info = read_info(**source, read_limits());
    if (!info) return fail(with_file(std::move(info.error()), path));
    return info;
  }

  // Of many files several at once, for most of the time a disk is waited for.
  [[nodiscard]] std::vector<std::optional<Result<FileInfo>>> infos_of(
      const std::vector<std::string>& paths) const {
    std::vector<std::optional<Result<FileInfo>>> infos(paths.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < paths.size(); i = next++) infos[i] = info_of(paths[i]);
    };
    const std::size_t readers =
        is_memory_short() ? 1 : std::min(kMostReaders, paths.size() / kFilesOfAReader);
    {
      JoinedThreads others;
      for (std::size_t i = 1; i < readers; ++i) others.threads.emplace_back(work);
      work();
    }
    return infos;
  }

  // All saves of one world; without a name, of the only one.
  void add_archive(const std::string& place, std::string world) {
    const auto refuse = [&](std::string what, const std::string& next) {
      const Error error = file_error(place, ErrorCode::version_not_found, std::move(what));
      status_ = worse(status_, context_.messages.error(error, next));
    };
    auto opened = open_archive(place);
    if (!opened) return report(opened.error());
    const std::shared_ptr<Archive> archive = *std::move(opened);
    const auto versions = archive->versions();
    if (!versions) return report(with_file(versions.error(), place));
    const auto unlisted = archive->backend().list_faults();
    if (!unlisted) return report(with_file(unlisted.error(), place));
    for (const Error& fault : *unlisted) report(fault);
    std::set<std::string> worlds;
    for (const ArchiveVersion& version : *versions) worlds.insert(version.world);
    if (worlds.empty() && !unlisted->empty()) return;
    if (worlds.empty())
      return refuse("the archive has no saves", "put some: hdbinspect archive put");
    if (world.empty() && worlds.size() > 1) {
      return refuse(fmt::format("the archive has {} worlds; the first is {}", worlds.size(),
                                escape_text(*worlds.begin())),
                    fmt::format("name one: {}@{}", typed_path(place), *worlds.begin()));
    }
    if (world.empty()) world = *worlds.begin();
    if (!worlds.contains(world)) {
      return refuse(fmt::format("the archive has no world '{}'", escape_text(world)),
                    fmt::format("see what it has: hdbinspect archive list {}", typed_path(place)));
    }
    std::vector<ArchiveFault> faults;
    auto saves = archive->list(world, &faults);
    if (!saves) return report(with_file(std::move(saves.error()), place));
    for (const ArchiveFault& fault : faults) {
      if (!fault.saves.empty()) report(with_file(fault.error, place));
    }
    for (ArchivedSave& save : *saves) {
      SeriesSave found;
      found.name = place + "@" + save.version.text();
      found.info.metadata = std::move(save.metadata);
      found.info.metadata.sequence = save.version.sequence;
      found.info.state_hash = save.state_hash;
      found.info.file_bytes = save.file_bytes;
      archived_[found.name] = {archive, save.version};
      saves_.push_back(std::move(found));
    }
  }

  void add_folder(const std::string& folder) {
    const auto names = names_in(folder);
    if (!names) return report(names.error());
    const std::size_t before = saves_.size();
    std::size_t damaged = 0;
    std::vector<std::string> paths;
    for (const std::string& name : *names) {
      std::error_code ignored;
      std::string path = path_in(folder, name);
      if (!fs::equivalent(utf8_path(path), utf8_path(except_), ignored))
        paths.push_back(std::move(path));
    }
    std::vector<std::optional<Result<FileInfo>>> infos = infos_of(paths);
    for (std::size_t i = 0; i < paths.size() && interrupted() == 0; ++i) {
      Result<FileInfo>& info = *infos[i];
      if (info) {
        saves_.push_back({paths[i], *std::move(info)});
      } else if (info.error().code == ErrorCode::bad_signature) {
        others_.push_back(paths[i]);
      } else if (std::error_code ignored; info.error().code != ErrorCode::file_not_found ||
                                          fs::is_symlink(utf8_path(paths[i]), ignored)) {
        // Else it was removed meanwhile.
        report(info.error());
        ++damaged;
      }
    }
    if (saves_.size() != before || damaged != 0) return;
    status_ =
        worse(status_, context_.messages.error(no_save_in(folder, paths.size()), kGiveFolder));
  }

  // Two states with one number: the saves of two worlds, or of two attempts of one.
  void note_ambiguous() const {
    for (std::size_t i = 1; i < saves_.size(); ++i) {
      const FileInfo& a = saves_[i - 1].info;
      const FileInfo& b = saves_[i].info;
      if (a.metadata.sequence == 0 || a.metadata.sequence != b.metadata.sequence ||
          a.state_hash == b.state_hash)
        continue;
      return context_.messages.note(fmt::format(
          "{} and {} have the same sequence number {} but different states: if they belong to two "
          "worlds, give only the files of one world",
          saves_[i - 1].name, saves_[i].name, a.metadata.sequence));
    }
  }

  const Context& context_;
  ExitStatus& status_;
  std::shared_ptr<Counter> bytes_;
  std::vector<SeriesSave> saves_;
  ArchivedSaves archived_;
  std::string except_;
  std::vector<std::string> others_;  // files of folders that are not saves
};

}  // namespace

bool is_earlier(const SeriesSave& a, const SeriesSave& b) {
  const auto key = [](const SeriesSave& save) {
    return std::tuple(save.info.metadata.sequence, save.info.metadata.date_unix_ms);
  };
  if (key(a) != key(b)) return key(a) < key(b);
  return is_before(a.name, b.name);
}

FollowOptions follow_options(const Context& context) {
  return {.json = context.globals.json,
          .max_value_bytes = max_value_bytes(context.globals, context.globals.json),
          .max_row_values = max_row_values(),
          .read_all = context.globals.verify};
}

OpenSeries open_series(const Context& context, const std::vector<std::string>& where,
                       ExitStatus& status, const std::string& except) {
  OpenSeries series;
  if (std::find(where.begin(), where.end(), "-") != where.end()) {
    status = worse(status, context.messages.usage("- cannot be one of several saves",
                                                  "give a folder, or the paths of files"));
    return series;
  }
  auto bytes = std::make_shared<Counter>(0);
  Finder finder(context, status, bytes, except);
  for (const std::string& path : where) finder.add(path);
  std::vector<SeriesSave> saves = finder.take();
  series.bytes_read = bytes;
  if (saves.empty()) return series;  // an error was reported for each part of WHERE
  for (const SeriesSave& save : saves) series.file_bytes += save.info.file_bytes;
  series.saves = std::make_unique<MixedSeries>(std::move(saves), finder.take_archived(),
                                               std::move(bytes), context.globals.verify);
  return series;
}

std::shared_ptr<const Reader> open_save(const Context& context, const SaveSeries& series,
                                        std::size_t save, ExitStatus& status) {
  auto reader = series.open(save);
  if (reader) return *std::move(reader);
  status = worse(status, context.messages.error(reader.error()));
  return nullptr;
}

std::string typed_where(const std::vector<std::string>& where) {
  if (where.size() > 3) return "FILE...";
  std::string text;
  for (const std::string& path : where) text += (text.empty() ? "" : " ") + typed_path(path);
  return text;
}

std::vector<std::string> short_names(const std::vector<SeriesSave>& saves) {
  std::vector<std::string> names;
  for (const SeriesSave& save : saves) names.push_back(save.name.substr(save.name.rfind('/') + 1));
  if (std::set<std::string>(names.begin(), names.end()).size() == saves.size()) return names;
  for (std::size_t i = 0; i < saves.size(); ++i) names[i] = saves[i].name;
  return names;
}

std::string moment_of(const SeriesSave& save) {
  const Metadata& metadata = save.info.metadata;
  std::string text;
  if (metadata.sequence != 0) text += fmt::format("#{}", metadata.sequence);
  if (metadata.date_unix_ms != 0)
    text += (text.empty() ? "" : "  ") + date_text(metadata.date_unix_ms);
  return text;
}

std::string save_label(const SeriesSave& save) {
  const std::string moment = moment_of(save);
  return printable_text(save.name) + (moment.empty() ? "" : "  " + moment);
}

JsonObject& add_save(const SeriesSave& save, JsonObject& object) {
  const Metadata& metadata = save.info.metadata;
  object.text("save", json_name(save.name)).number("sequence", metadata.sequence);
  if (metadata.date_unix_ms != 0) object.signed_number("date_unix_ms", metadata.date_unix_ms);
  return object;
}

std::string reading_text(const OpenSeries& series) {
  const std::uint64_t read = *series.bytes_read;
  const double percent = series.file_bytes == 0 ? 0
                                                : 100.0 * static_cast<double>(read) /
                                                      static_cast<double>(series.file_bytes);
  return fmt::format("read {} of {} ({:.1f} %)", size_text(read), size_text(series.file_bytes),
                     percent);
}

void note_other_files(const Context& context, const std::vector<std::string>& files) {
  if (files.empty()) return;
  const std::size_t shown = context.globals.verbose ? files.size() : 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(shown, files.size()); ++i)
    names += (i == 0 ? "" : ", ") + files[i];
  if (shown < files.size()) names += fmt::format(" and {} more (-v)", files.size() - shown);
  context.messages.note(
      files.size() == 1
          ? fmt::format("1 file was passed over because it is not an hdb save: {}", names)
          : fmt::format("{} files were passed over because they are not hdb saves: {}",
                        files.size(), names));
}

void note_passed_over(const Context& context, std::size_t count, const std::string& first,
                      const std::string& what) {
  if (count == 0) return;
  context.messages.note(
      count == 1 ? fmt::format("{} was passed over: it has no {}", first, what)
                 : fmt::format("{} saves were passed over: they have no {}; the first is {}", count,
                               what, first));
}

}  // namespace hdb::inspect
