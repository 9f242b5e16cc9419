// AtomicFile: temporary, fsync, rename, fsync of the folder, backups; every failure before the
// rename undoes itself.
#include "hdb/atomic_file.hpp"

#include <algorithm>
#include <optional>

#include "files/backups.hpp"
#include "files/ownership.hpp"
#include "files/save_lock.hpp"
#include "files/save_target.hpp"
#include "files/temporary.hpp"
#include "hdb/file_system.hpp"
#include "hdb/hash.hpp"

namespace hdb {
namespace {

constexpr std::uint64_t kStartedBytes = std::uint64_t{1} << 20;  // at once
constexpr std::size_t kReadBackBytes = std::size_t{256} << 10;

// Reserved at once: what a save that is announced with an upper bound will hardly stay below. More
// could refuse a save that fits.
std::uint64_t space_to_reserve(std::uint64_t upper_bound, std::uint64_t old_size) {
  return std::min(upper_bound, std::max(upper_bound / 8, old_size / 2));
}

// Anything else that is wrong shows when the bytes are written.
bool is_disk_full(int number) {
#if defined(EDQUOT)
  if (number == EDQUOT) return true;
#endif
  return number == ENOSPC || number == EFBIG;
}

// Why a finished save is not durable.
Error in_place_but(OsError error, std::string_view call, const std::string& path) {
  return os_failure(
      error,
      "the new file is written, but a power cut may bring the old file back: " + std::string(call),
      path);
}

// What the file system lacks, if anything.
Error done_without(OsError lock, OsError link, const std::string& path) {
  if (lock.number == 0 && link.number == 0) return {};
  std::string what = "the save is as it should be, but ";
  if (lock.number != 0)
    what += "another program could have saved the file at the same time, for want of a lock";
  if (lock.number != 0 && link.number != 0) what += ", and ";
  if (link.number != 0) what += "the backup is a copy, for want of a link";
  return os_failure(lock.number != 0 ? lock : link,
                    what + (lock.number != 0 ? ": locking" : ": linking"), path);
}

// The temporary, or the old file, for the functions that the caller gave.
class OpenFileSource final : public ByteSource {
 public:
  // Without a file, every call fails with its error.
  OpenFileSource(FileSystem& files, OsResult<Descriptor> file, std::uint64_t size_bytes,
                 const char* place, const std::string& path)
      : files_(files), file_(file), size_bytes_(size_bytes), place_(place), path_(path) {}

  Result<std::uint64_t> size() override {
    if (!file_) return fail(os_failure(file_.error(), "opening", path_));
    return size_bytes_;
  }

  Status read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (!file_) return fail(os_failure(file_.error(), "opening", path_));
    const auto size = read_fully(files_, *file_, offset, out);
    if (!size) return fail(os_failure(size.error(), place_, path_));
    if (*size == out.size()) return {};
    return fail(
        Error{ErrorCode::truncated, "the file ends too early", offset + *size, place_, path_});
  }

 private:
  FileSystem& files_;
  OsResult<Descriptor> file_;
  std::uint64_t size_bytes_;
  const char* place_;
  const std::string& path_;
};

}  // namespace

struct AtomicFile::State {
  FileSystem& files;
  AtomicFileOptions options;
  std::string path;
  std::string name;
  std::string backup_stem_;
  SaveLock lock;
  Temporary temporary;
  FileStatus temporary_status;
  std::optional<BackupRotation> backups;
  Error ownership_problem;
  std::uint64_t old_size = 0;
  Bytes buffer;
  Hasher128 hasher;
  std::uint64_t written = 0;
  std::uint64_t started = 0;  // the system was asked to put what lies before on the disk
  std::uint64_t reserved = 0;
  bool finished = false;         // nothing is open or locked any more
  std::optional<Error> failure;  // what finished it early

  State(FileSystem& system, const AtomicFileOptions& wanted, std::string to)
      : files(system), options(wanted), path(std::move(to)) {}

  [[nodiscard]] bool wants_read_back(std::uint64_t size) const {
    return options.read_back == ReadBack::always ||
           (options.read_back == ReadBack::small_files && size <= kSmallFileBytes);
  }

  // Allocates nothing: also runs when memory is exhausted.
  void discard() noexcept {
    finished = true;
    static_cast<void>(temporary.file.close());
    if (!temporary.name.empty()) {
      static_cast<void>(
          retry_interrupted([&] { return files.unlink(lock.directory(), temporary.name); }));
      temporary.name.clear();
    }
    backups.reset();
    lock.release();
  }

  tl::unexpected<Error> give_up(Error error) {
    discard();
    error.file = path;
    failure = error;
    return fail(std::move(error));
  }
  tl::unexpected<Error> give_up(OsError error, std::string_view call) {
    return give_up(os_failure(error, call, path));
  }

  [[nodiscard]] tl::unexpected<Error> refuse() const {
    if (failure) return fail(*failure);
    return fail_at_path(ErrorCode::io_failed, "the save was already committed or abandoned", path);
  }

  Status open();
  Status write_through(std::span<const std::byte> bytes);
  Status flush();
  Status make_durable(const std::optional<FileStatus>& existing);
  Status read_back_and_compare();
  Result<OldFile> ask_before_replace(const std::optional<FileStatus>& existing);
  Result<CommitReport> replace();
};

std::string_view outcome_name(SaveOutcome outcome) noexcept {
  switch (outcome) {
    case SaveOutcome::not_a_file: return "not_a_file";
    case SaveOutcome::replaced_not_durable: return "replaced_not_durable";
    case SaveOutcome::durable: return "durable";
  }
  return "unknown";
}

Status AtomicFile::State::open() {
  auto target = open_save_target(files, path);
  if (!target) return fail(std::move(target.error()));
  name = std::move(target->name);
  if (target->existing) old_size = target->existing->size_bytes;
  auto locked =
      SaveLock::acquire(files, std::move(target->directory), name, options.lock_timeout, path);
  if (!locked) return fail(std::move(locked.error()));
  lock = std::move(*locked);
  if (options.keep > 0) {
    auto stem = backup_stem(files, lock.directory(), name, options.keep);
    if (!stem) return give_up(stem.error(), "looking for backups");
    backup_stem_ = std::move(*stem);
  }
  remove_stale_temporaries(files, lock.directory(), lock.excludes_processes() ? &name : nullptr);
  auto created = create_temporary(files, lock.directory(), name, path);
  if (!created) return give_up(std::move(created.error()));
  temporary = std::move(*created);
  const auto status = files.status(temporary.file.get());
  if (!status) return give_up(status.error(), "reading the status of the new file");
  temporary_status = *status;
  return {};
}

Status AtomicFile::State::write_through(std::span<const std::byte> bytes) {
  if (const auto done = write_all(files, temporary.file.get(), bytes); !done) {
    return give_up(done.error(), "writing");
  }
  if (wants_read_back(written)) hasher.update(bytes);
  written += bytes.size();
  // The disk works while the rest is encoded: the wait for fsync becomes short.
  if (written - started >= kStartedBytes) {
    files.start_writing(temporary.file.get(), started, written - started);
    started = written;
  }
  return {};
}

Status AtomicFile::State::flush() {
  auto done = write_through(buffer);
  buffer.clear();
  return done;
}

Status AtomicFile::State::read_back_and_compare() {
  const Descriptor file = temporary.file.get();
  files.drop_cache(file);
  OpenFileSource source(files, file, written, "reading back", path);
  Hasher128 found;
  Bytes block(kReadBackBytes);
  for (std::uint64_t offset = 0; offset < written;) {
    const auto size =
        static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), written - offset));
    const auto part = std::span(block).first(size);
    if (auto read = source.read_at(offset, part); !read) return give_up(std::move(read.error()));
    found.update(part);
    offset += size;
  }
  if (found.digest() != hasher.digest()) {
    return give_up(Error{ErrorCode::verify_failed,
                         "the written file does not read back as it was written",
                         kNoOffset,
                         {},
                         path});
  }
  if (!options.validate) return {};
  if (auto valid = options.validate(source); !valid) {
    valid.error().what = "the written file is not valid: " + valid.error().message();
    valid.error().code = ErrorCode::verify_failed;
    valid.error().offset = kNoOffset;
    valid.error().where.clear();
    return give_up(std::move(valid.error()));
  }
  return {};
}

Status AtomicFile::State::make_durable(const std::optional<FileStatus>& existing) {
  const Descriptor file = temporary.file.get();
  if (reserved > written) {
    const auto cut = retry_interrupted([&] { return files.truncate(file, written); });
    if (!cut) return give_up(cut.error(), "setting the size");
  }
  std::uint32_t mode = 0;
  if (existing) {
    Kept kept = keep_ownership(files, lock.directory(), name, *existing, file, path);
    mode = kept.mode;
    ownership_problem = std::move(kept.problem);
  } else {
    const auto fresh = retry_interrupted([&] { return files.new_file_mode(lock.directory()); });
    if (!fresh) return give_up(fresh.error(), "reading the umask");
    mode = *fresh;
  }
  const auto changed = retry_interrupted([&] { return files.set_mode(file, mode); });
  if (!changed && ownership_problem.what.empty()) {
    // As on a disk of which all files belong to another user. It has at most the rights of a
    // temporary: those of its owner.
    ownership_problem = os_failure(
        changed.error(), "the new file is in place, but does not have its mode: setting it", path);
  }
  // Once: after a failed fsync the kernel may have dropped the data and a second call would
  // succeed.
  if (const auto synced = files.sync_file(file); !synced) return give_up(synced.error(), "fsync");
  if (wants_read_back(written)) {
    if (auto same = read_back_and_compare(); !same) return same;
  }
  if (const auto closed = temporary.file.close(); !closed) return give_up(closed.error(), "close");
  return {};
}

Result<OldFile> AtomicFile::State::ask_before_replace(const std::optional<FileStatus>& existing) {
  if (!options.before_replace) return OldFile::sound;
  if (!existing) return options.before_replace(nullptr);
  const auto opened =
      retry_interrupted([&] { return files.open_for_reading(lock.directory(), name); });
  const OwnedDescriptor owned(files, opened.value_or(kNoDescriptor));
  OpenFileSource old(files, opened, existing->size_bytes, "reading the old file", path);
  return options.before_replace(&old);
}

Result<CommitReport> AtomicFile::State::replace() {
  if (auto flushed = flush(); !flushed) return fail(std::move(flushed.error()));
  const Descriptor directory = lock.directory();
  auto existing = regular_or_absent(files, directory, name, path);
  if (!existing) return give_up(std::move(existing.error()));
  if (auto done = make_durable(*existing); !done) return fail(std::move(done.error()));
  const auto old = ask_before_replace(*existing);
  if (!old) return give_up(old.error());
  backups.emplace(files, directory, name, backup_stem_, options.keep, path);
  if (auto ready = backups->prepare(*existing, *old); !ready)
    return give_up(std::move(ready.error()));

  CommitReport report;
  report.ownership_problem = std::move(ownership_problem);
  report.done_without = done_without(lock.problem(), backups->link_problem(), path);
  report.bytes = written;
  report.read_back = wants_read_back(written);
  const auto renamed =
      retry_interrupted([&] { return files.rename(directory, temporary.name, name); });
  if (!renamed) {
    // A rename over a network may report failure and have happened: look.
    const auto now = retry_interrupted([&] { return files.status_at(directory, name); });
    if (!now || !now->same_file(temporary_status)) return give_up(renamed.error(), "rename");
    report.outcome = SaveOutcome::replaced_not_durable;
    report.problem = in_place_but(renamed.error(), "rename", path);
  }
  // From here on nothing is allocated unless a call fails: what has happened must not end in
  // bad_alloc.
  temporary.name.clear();
  backups->target_replaced();
  if (const auto synced = files.sync_directory(directory); !synced) {
    report.outcome = SaveOutcome::replaced_not_durable;
    report.problem = in_place_but(synced.error(), "fsync of the folder", path);
  }
  if (auto moved = backups->finish(); !moved) report.backup_problem = std::move(moved.error());
  return report;
}

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}

AtomicFile::~AtomicFile() { abandon(); }

Result<std::unique_ptr<AtomicFile>> AtomicFile::create(const std::string& path,
                                                       const AtomicFileOptions& options) {
  FileSystem& files = options.file_system != nullptr ? *options.file_system : system_files();
  std::unique_ptr<AtomicFile> file(new AtomicFile(std::make_unique<State>(files, options, path)));
  if (auto opened = file->state_->open(); !opened) return fail(std::move(opened.error()));
  return file;
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  State& state = *state_;
  if (state.finished) return state.refuse();
  if (state.buffer.size() + bytes.size() > state.options.buffer_bytes) {
    if (auto flushed = state.flush(); !flushed) return flushed;
    if (bytes.size() >= state.options.buffer_bytes) return state.write_through(bytes);
  }
  state.buffer.insert(state.buffer.end(), bytes.begin(), bytes.end());
  return {};
}

Status AtomicFile::reserve(std::uint64_t size_bytes) {
  State& state = *state_;
  if (state.finished) return state.refuse();
  const std::uint64_t amount = space_to_reserve(size_bytes, state.old_size);
  if (amount == 0 || state.reserved != 0) return {};
  const auto done = retry_interrupted(
      [&] { return state.files.reserve_space(state.temporary.file.get(), amount); });
  if (done) {
    state.reserved = amount;
  } else if (is_disk_full(done.error().number)) {
    return state.give_up(done.error(), "reserving " + std::to_string(amount) + " bytes");
  }
  return {};
}

Result<CommitReport> AtomicFile::commit() {
  State& state = *state_;
  if (state.finished) return state.refuse();
  auto report = state.replace();
  if (report) state.discard();  // the temporary is the target by now: only the lock is left
  return report;
}

void AtomicFile::abandon() noexcept {
  if (!state_->finished) state_->discard();
}

}  // namespace hdb
