// Snapshots, saves and loads of the C interface.
#include <cstdlib>

#include "c/objects.hpp"
#include "hdb/io.hpp"
#include "hdb/save.hpp"

namespace hdb::c {
namespace {

constexpr int kMaxLevel = 19;
constexpr std::uint32_t kMaxBackups = 10000;

}  // namespace

SaveOptions save_options(const hdb_save_options* given) {
  const hdb_save_options known = known_options(given, kSaveOptions);
  SaveOptions options;
  if (known.title != nullptr) options.metadata.title = known.title;
  options.metadata.play_time_ms = known.play_time_ms;
  options.metadata.date_unix_ms = known.date_unix_ms;
  options.metadata.sequence = known.sequence;
  require_range(known.level, 0, kMaxLevel, "level", kSaveOptions);
  if (known.level != 0) options.write.level = static_cast<int>(known.level);
  require_range(known.threads, 0, kMaxThreads, "threads", kSaveOptions);
  if (known.threads != 0) options.write.threads = known.threads;
  require_range(known.backups, 0, kMaxBackups, "backups", kSaveOptions);
  options.file.keep = known.backups;
  if (known.expected.low != 0 || known.expected.high != 0)
    options.expected = Hash128{known.expected.low, known.expected.high};
  return options;
}

namespace {

/// Saves to a path or a sink.
template <class To>
void save(const hdb_snapshot* snapshot, To&& to, const hdb_save_options* given) {
  const SaveReport report = value_of(hdb::save(snapshot->snapshot, to, save_options(given)));
  if (hdb_hash* const id = known_options(given, kSaveOptions).file_id; id != nullptr)
    *id = {report.file_id.low, report.file_id.high};
}

LoadOptions load_options(const hdb_load_options* given) {
  const hdb_load_options known = known_options(given, kLoadOptions);
  LoadOptions options;
  if (flag_of(known.fork, "fork", kLoadOptions)) options.mode = TimelineMode::fork;
  options.keep_unknown = flag_of(known.keep_unknown, "keep_unknown", kLoadOptions);
  options.verify_state_hash = flag_of(known.verify, "verify", kLoadOptions);
  options.allow_policy_changes = !flag_of(known.exact_policies, "exact_policies", kLoadOptions);
  require_range(known.threads, 0, kMaxThreads, "threads", kLoadOptions);
  if (known.threads != 0) options.threads = known.threads;
  options.unknown_values =
      enum_of(known.unknown_values, UnknownValue::drop_record, "unknown_values", kLoadOptions);
  if (known.max_memory != 0) options.limits.max_memory_bytes = known.max_memory;
  return options;
}

/// The load has happened: running out of memory for its summary must not be reported as a failure
/// of it. So the text is allocated before, as long as such a line usually is, and cut off there.
class Summary {
 public:
  explicit Summary(char** to) : to_(to) {
    if (to_ == nullptr) return;
    *to_ = nullptr;
    text_ = static_cast<char*>(std::malloc(kBytes));
    if (text_ == nullptr) throw std::bad_alloc();
    *text_ = '\0';
  }
  ~Summary() { std::free(text_); }
  Summary(const Summary&) = delete;
  Summary& operator=(const Summary&) = delete;

  void give(const LoadReport& report) noexcept {
    if (to_ == nullptr) return;
    try {
      *to_ = text_for_caller(report.summary());
    } catch (const std::exception&) {
      *to_ = std::exchange(text_, nullptr);
    }
  }

 private:
  static constexpr std::size_t kBytes = 16;

  char** to_;
  char* text_ = nullptr;
};

/// `from`: a path or a source.
template <class From>
void load(hdb_database* database, From&& from, const hdb_load_options* given, char** text) {
  const LoadOptions options = load_options(given);
  Summary summary(text);
  const LoadReport report = value_of(database->database.load(std::forward<From>(from), options));
  database->refresh();
  if (hdb_hash* const id = known_options(given, kLoadOptions).file_id; id != nullptr)
    *id = {report.info.file_id.low, report.info.file_id.high};
  summary.give(report);
}

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;

extern "C" {

hdb_status hdb_capture(hdb_database* database, hdb_snapshot** snapshot, hdb_error** error) {
  return guarded(error, [&] {
    require(snapshot, "snapshot");
    *snapshot = nullptr;
    require(database, "database");
    auto made = std::make_unique<hdb_snapshot>();
    made->snapshot = database->database.capture();
    *snapshot = made.release();
  });
}

void hdb_snapshot_free(hdb_snapshot* snapshot) { delete snapshot; }

hdb_status hdb_restore(hdb_database* database, const hdb_snapshot* snapshot, int fork,
                       hdb_error** error) {
  return guarded(error, [&] {
    require(database, "database");
    require(snapshot, "snapshot");
    hdb::RestoreOptions options;
    if (flag_of(fork, "fork")) options.mode = hdb::TimelineMode::fork;
    check(database->database.restore(snapshot->snapshot, options));
    database->refresh();
  });
}

hdb_status hdb_snapshot_hash(const hdb_snapshot* snapshot, hdb_hash* hash, hdb_error** error) {
  return guarded(error, [&] {
    require(hash, "hash");
    *hash = {};
    require(snapshot, "snapshot");
    const hdb::Hash128 found = value_of(snapshot->snapshot.try_state_hash());
    *hash = {found.low, found.high};
  });
}

hdb_status hdb_save(const hdb_snapshot* snapshot, const char* path, const hdb_save_options* options,
                    hdb_error** error) {
  return guarded(error, [&] {
    require(snapshot, "snapshot");
    require(path, "path");
    save(snapshot, std::string(path), options);
  });
}

hdb_status hdb_save_bytes(const hdb_snapshot* snapshot, const hdb_save_options* options,
                          void** bytes, size_t* size, hdb_error** error) {
  return guarded(error, [&] {
    if (bytes != nullptr) *bytes = nullptr;
    if (size != nullptr) *size = 0;
    require(bytes, "bytes");
    require(size, "size");
    require(snapshot, "snapshot");
    hdb::MemorySink sink;
    save(snapshot, sink, options);
    const hdb::Bytes& file = sink.bytes();
    *bytes = text_for_caller({reinterpret_cast<const char*>(file.data()), file.size()});
    *size = file.size();
  });
}

hdb_status hdb_load(hdb_database* database, const char* path, const hdb_load_options* options,
                    char** summary, hdb_error** error) {
  return guarded(error, [&] {
    if (summary != nullptr) *summary = nullptr;
    require(database, "database");
    require(path, "path");
    load(database, std::string(path), options, summary);
  });
}

hdb_status hdb_load_bytes(hdb_database* database, const void* bytes, size_t size,
                          const hdb_load_options* options, char** summary, hdb_error** error) {
  return guarded(error, [&] {
    if (summary != nullptr) *summary = nullptr;
    require(database, "database");
    require(bytes, "bytes");
    const std::span<const std::byte> file(static_cast<const std::byte*>(bytes), size);
    load(database, std::make_unique<hdb::MemorySource>(hdb::MemorySource::borrowing(file)), options,
         summary);
  });
}

}  // extern "C"
