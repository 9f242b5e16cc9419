// Saving a snapshot to a sink and, atomically, to a file.
#include "hdb/save.hpp"

#include <utility>

#include "base/using_detail.hpp"
#include "database/load/load_memory.hpp"
#include "database/save/capture_order.hpp"
#include "database/save/save_checks.hpp"
#include "database/save/save_folder.hpp"
#include "database/tables/snapshot_data.hpp"
#include "files/os_calls.hpp"
#include "files/save_target.hpp"
#include "hdb/atomic_file.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Opens the file that was just written, before it replaces anything.
Status check_readable(ByteSource& source, const ReadLimits& limits) {
  auto info = read_info(source, limits);
  if (!info) return fail(std::move(info.error()));
  return {};
}

// Whether the new file may replace the old one, and what that is. Called while the target is
// locked.
Result<OldFile> check_turn(ByteSource* old, const SaveReport& own, std::uint64_t moment,
                           const SaveOptions& options) {
  note_moment_of_file(own.file_id, own.state_hash, moment);
  if (old == nullptr) {
    if (!options.expected || *options.expected == Hash128{}) return OldFile::sound;
    return superseded("the file that this save may replace does not exist any more");
  }
  const auto info = read_info(*old, options.write.limits);
  const bool is_damaged = !info && category_of(info.error().code) == ErrorCategory::corrupt;
  if (options.expected) {
    if (!info && !is_damaged) return fail(info.error());
    if (!info || info->file_id != *options.expected) {
      return superseded(
          "the file is not the one that this save may replace: another program saved, or the file "
          "was damaged or replaced");
    }
  }
  if (info && moment_of_file(info->file_id, info->state_hash) > moment)
    return superseded("a newer capture was saved to this file");
  return is_damaged ? OldFile::damaged : OldFile::sound;
}

// Records may need far more memory than their columns have bytes.
Status check_memory(const SnapshotData& data, std::uint64_t file_bytes, const ReadLimits& limits) {
  std::uint64_t needed = 0;
  for (std::size_t i = 0; i < data.tables().size(); ++i) {
    if (data.descriptors()[i].scope >= Scope::unsaved) continue;
    // The live table may change meanwhile.
    const FrozenTable& frozen = data.tables()[i].frozen;
    const std::size_t record_bytes = frozen.records.page_count() == 0 ? 0 : frozen.records.stride();
    needed += table_memory(data.descriptors()[i], frozen.policy().storage, record_bytes);
  }
  const std::uint64_t most = most_load_memory(file_bytes, limits);
  if (needed <= most) return {};
  return fail(ErrorCode::memory_budget,
              "a load needs " + std::to_string(needed) +
                  " bytes of memory for slots and records, and may take " + std::to_string(most) +
                  " for a file of this size (ReadLimits::max_memory_bytes, max_content_ratio)",
              "writing");
}

}  // namespace

Status check_singletons(const ImageSource& image) {
  for (const TableDescriptor& table : image.tables()) {
    if (!table.singleton || table.live_count == 1) continue;
    return fail(
        ErrorCode::storage_mismatch,
        "a singleton has no record, and load would refuse the file; do not clear a singleton",
        "table '" + table.name + "'");
  }
  return {};
}

Error replaced_texts(const Metadata& given, const Metadata& saved) {
  if (given.title == saved.title && given.values == saved.values) return {};
  std::string what = given.title != saved.title ? "the title" : "";
  for (const auto& [key, value] : given.values) {
    const auto same = saved.values.find(key);
    if (same != saved.values.end() && same->second == value) continue;
    what += (what.empty() ? "the value '" : "; the value '") + escape_text(key) + "'";
  }
  what += ": not UTF-8; U+FFFD was saved in place of each bad byte";
  return Error{ErrorCode::bad_options, std::move(what), kNoOffset, "metadata", {}};
}

Result<SaveReport> save(const Snapshot& snapshot, ByteSink& sink, const SaveOptions& options) {
  if (!snapshot) return fail(ErrorCode::bad_options, "the snapshot is empty", "save");
  const auto start = Clock::now();
  const auto image = snapshot.image(options.metadata, options.thumbnail);
  if (Status status = check_singletons(*image); !status) return fail(std::move(status.error()));
  auto written = write_image(*image, sink, options.write);
  if (!written) return fail(std::move(written.error()));
  if (Status status = check_memory(*data_of(snapshot), written->bytes, options.write.limits);
      !status) {
    return fail(std::move(status.error()));
  }
  SaveReport report;
  report.bytes = written->bytes;
  report.raw_bytes = written->raw_bytes;
  report.reused_bytes = written->reused_bytes;
  report.state_hash = written->state_hash;
  report.metadata_problem = replaced_texts(options.metadata, image->metadata());
  report.file_id = written->file_id;
  report.encode_ms = ms_since(start);
  return report;
}

namespace {

Result<SaveReport> save_in_folder(const Snapshot& snapshot, const std::string& path,
                                  const SaveOptions& options) {
  const auto named = [&](Error error) {
    if (error.file.empty()) error.file = path;
    return fail(std::move(error));
  };
  AtomicFileOptions file_options = options.file;
  file_options.validate = [&](ByteSource& source) -> Status {
    if (auto readable = check_readable(source, options.write.limits); !readable) return readable;
    return options.file.validate ? options.file.validate(source) : Status{};
  };
  Result<SaveReport> report;
  file_options.before_replace = [&](ByteSource* old) {
    auto turn = check_turn(old, *report, moment_of(snapshot), options);
    if (!turn || !options.file.before_replace) return turn;
    auto asked = options.file.before_replace(old);
    return asked && *asked == OldFile::sound ? turn : asked;
  };
  auto file = AtomicFile::create(path, file_options);
  if (!file) return named(std::move(file.error()));
  report = save(snapshot, **file, options);
  if (!report) return named(std::move(report.error()));  // the temporary goes with `file`
  if (options.write.cancel != nullptr && *options.write.cancel) {
    return named(Error{ErrorCode::cancelled, "cancelled before the commit", kNoOffset, "save", {}});
  }
  report->path = path;
  const auto start = Clock::now();
  auto committed = (*file)->commit();
  if (!committed) return named(std::move(committed.error()));
  report->outcome = committed->outcome;
  report->problem = std::move(committed->problem);
  report->backup_problem = std::move(committed->backup_problem);
  report->ownership_problem = std::move(committed->ownership_problem);
  report->done_without = std::move(committed->done_without);
  report->commit_ms = ms_since(start);
  return report;
}

}  // namespace

Result<SaveReport> save(const Snapshot& snapshot, ByteSink& sink) {
  return save(snapshot, sink, SaveOptions());
}

Result<SaveReport> save(const Snapshot& snapshot, const std::string& path) {
  return save(snapshot, path, SaveOptions());
}

Result<SaveReport> save(const Snapshot& snapshot, const std::string& path,
                        const SaveOptions& options) {
  auto report = save_in_folder(snapshot, path, options);
  if (report || report.error().code != ErrorCode::file_not_found) return report;
  FileSystem& files =
      options.file.file_system != nullptr ? *options.file.file_system : system_files();
  const std::string folder = split_path(path).folder;
  if (!make_folder(files, folder)) return report;
  report = save_in_folder(snapshot, path, options);
  if (report) lower_outcome(*report, sync_name_of_folder(files, folder, true));
  return report;
}

SaveTarget::SaveTarget(std::string path)
    : name_(bound_path(system_files(), path)),
      write_(
          [bound = name_, given = std::move(path)](const Snapshot& what, const SaveOptions& how) {
            return save(what, how.file.file_system == nullptr ? bound : given, how);
          }) {}

namespace {

// Opens the file at `path` and asks `read(source)`; errors tell the path.
template <class Read>
auto read_from(const std::string& path, FileSystem* file_system, const Read& read)
    -> decltype(read(std::declval<std::unique_ptr<ByteSource>>())) {
  const auto named = [&](Error error) {
    error.file = path;
    return fail(std::move(error));
  };
  auto source = FileSource::open(path, file_system);
  if (!source) return named(std::move(source.error()));
  auto found = read(*std::move(source));
  if (!found) return named(std::move(found.error()));
  return found;
}

}  // namespace

Result<FileInfo> read_info(const std::string& path, const ReadLimits& limits,
                           FileSystem* file_system) {
  return read_from(path, file_system,
                   [&](std::unique_ptr<ByteSource> source) { return read_info(*source, limits); });
}

Result<Bytes> read_thumbnail(const std::string& path, const ReadLimits& limits,
                             FileSystem* file_system) {
  return read_from(path, file_system, [&](std::unique_ptr<ByteSource> source) -> Result<Bytes> {
    auto reader = Reader::open(std::move(source), {.limits = limits});
    if (!reader) return fail(std::move(reader.error()));
    return (*reader)->read_thumbnail();
  });
}

}  // namespace hdb
