// SQLite with results that are checked.
#include "archive/sqlite/sqlite_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <new>
#include <thread>

#include "archive/manifest.hpp"
#include "archive/sql/sql_backend.hpp"
#include "archive/sqlite/page_scan.hpp"
#include "archive/utf8_path.hpp"
#include "files/os_calls.hpp"

namespace hdb::archive {
namespace {

// "hdba": in the header of the file, where `file` and SQLite find it.
constexpr std::int64_t kApplicationId = 0x68646261;

constexpr std::uintmax_t kSmallestPage = 512;
// The pages of a new file before it has tables.
constexpr std::int64_t kMostEmptyPages = 2;
// Another program may make the file smaller meanwhile.
constexpr int kMostAttempts = 3;

// The longest wait of one statement for another writer.
constexpr int kBusyMilliseconds = 1000;

ErrorCode code_of(int result, int system_error) {
  const bool is_full = system_error == ENOSPC || system_error == EDQUOT;
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::save_busy;
    case SQLITE_FULL: return ErrorCode::disk_full;
    case SQLITE_CORRUPT: return ErrorCode::bad_archive;
    case SQLITE_NOTADB:
    case SQLITE_ERROR:  // no such table or column
      return ErrorCode::not_an_archive;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return ErrorCode::permission_denied;
    case SQLITE_CANTOPEN:
      if (is_full) return ErrorCode::disk_full;
      if (system_error == ENOENT) return ErrorCode::file_not_found;
      if (system_error == EACCES || system_error == EROFS || system_error == EPERM)
        return ErrorCode::permission_denied;
      return ErrorCode::io_failed;
    default: return is_full ? ErrorCode::disk_full : ErrorCode::io_failed;
  }
}

SqlField field_in(sqlite3_stmt* statement, int column) {
  if (sqlite3_column_type(statement, column) == SQLITE_INTEGER)
    return std::int64_t{sqlite3_column_int64(statement, column)};
  const auto* const data = static_cast<const std::byte*>(sqlite3_column_blob(statement, column));
  return Bytes(data, data + sqlite3_column_bytes(statement, column));
}

// SQLite takes a null pointer for NULL.
int bind(sqlite3_stmt* statement, int number, const SqlValue& value) {
  if (const auto* const integer = std::get_if<std::int64_t>(&value))
    return sqlite3_bind_int64(statement, number, *integer);
  if (const auto* const text = std::get_if<std::string_view>(&value)) {
    return sqlite3_bind_text64(statement, number, text->empty() ? "" : text->data(), text->size(),
                               SQLITE_STATIC, SQLITE_UTF8);
  }
  const auto bytes = std::get<std::span<const std::byte>>(value);
  if (bytes.empty()) return sqlite3_bind_zeroblob(statement, number, 0);
  return sqlite3_bind_blob64(statement, number, bytes.data(), bytes.size(), SQLITE_STATIC);
}

// A removal of 32 objects changes fewer pages.
constexpr std::uint64_t kReserveBytes = std::uint64_t{512} << 10;

std::string reserve_name(const SqlitePlace& place) { return place.name + "-reserve"; }

Result<OwnedDescriptor> open_folder(const SqlitePlace& place) {
  FileSystem& files = system_files();
  const auto folder =
      retry_interrupted([&] { return files.open_directory(kCurrentDirectory, place.folder); });
  if (!folder) return fail(os_failure(folder.error(), "opening the folder", place.path));
  return OwnedDescriptor(files, *folder);
}

// Nothing for a failure that may pass.
std::optional<Error> damage_in(const SqlFailure& failure) {
  const bool is_damage = failure.error.code == ErrorCode::bad_archive ||
                         failure.error.code == ErrorCode::not_an_archive;
  return is_damage ? std::optional(failure.error) : std::nullopt;
}

}  // namespace

void make_reserve(const SqlitePlace& place) {
  FileSystem& files = system_files();
  const auto folder = open_folder(place);
  if (!folder) return;
  const auto made = files.create_exclusive(folder->get(), reserve_name(place));
  if (!made) return;  // it exists already
  const OwnedDescriptor owned(files, *made);
  if (!files.reserve_space(*made, kReserveBytes))
    static_cast<void>(files.unlink(folder->get(), reserve_name(place)));
}

bool remove_reserve(const SqlitePlace& place) {
  const auto folder = open_folder(place);
  return folder && system_files().unlink(folder->get(), reserve_name(place));
}

SqlFailure SqliteConnection::failure() {
  const int result = sqlite3_extended_errcode(database_);
  if ((result & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  const ErrorCode code = code_of(result, sqlite3_system_errno(database_));
  std::string what = std::string("SQLite: ") + sqlite3_errmsg(database_);
  for (auto& [sql, statement] : statements_) sqlite3_reset(statement.get());
  if (sqlite3_get_autocommit(database_) == 0)
    sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  is_broken_ = code != ErrorCode::disk_full;
  if (code == ErrorCode::save_busy) what = "another program is writing to the archive";
  if (code == ErrorCode::file_not_found) what.clear();
  if ((result & 0xff) == SQLITE_NOTADB)
    what = "the file is not an SQLite database, or its first page is damaged";
  return {{code, std::move(what), kNoOffset, {}, place_.path}, code == ErrorCode::save_busy};
}

SqlResultOf<std::unique_ptr<SqlConnection>> SqliteConnection::open(const SqlitePlace& place,
                                                                   bool create,
                                                                   Clock::time_point deadline) {
  // SQLite takes a short file for an empty one, and overwrites it.
  std::error_code ignored;
  const auto size =
      std::filesystem::file_size(detail::path_of_utf8(place.folder + "/" + place.name), ignored);
  if (!ignored && size > 0 && size < kSmallestPage) {
    return tl::unexpected(SqlFailure{{ErrorCode::not_an_archive,
                                      "the file is too short for an SQLite database",
                                      kNoOffset,
                                      {},
                                      place.path}});
  }
  for (;;) {
    sqlite3* database = nullptr;
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
    // A path that begins with "file:" is not an URL.
    const std::string path = place.folder + "/" + place.name;
    const int opened = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
    if (database == nullptr) throw std::bad_alloc();
    std::unique_ptr<SqliteConnection> connection(new SqliteConnection(place, database));
    sqlite3_extended_result_codes(database, 1);
    sqlite3_busy_timeout(database, kBusyMilliseconds);
    if (opened != SQLITE_OK) return tl::unexpected(connection->failure());
    auto ready = connection->make_ready(create);
    if (ready) return connection;
    if (!ready.error().is_transient || Clock::now() > deadline)
      return tl::unexpected(std::move(ready.error()));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

SqlResultOf<void> SqliteConnection::make_ready(bool create) {
  // As FULL, and also the end of the journal in which the file is made is durable: it would undo
  // what follows.
  if (auto set = run("PRAGMA synchronous = EXTRA"); !set) return done(set);
  auto id = run("PRAGMA application_id");
  if (!id) return done(id);
  if (id->number(0) != kApplicationId) {
    // Also what a crash left of a new archive.
    const auto other = run("SELECT 1 FROM sqlite_master LIMIT 1");
    if (!other) return done(other);
    if (!create || !other->rows.empty()) {
      return tl::unexpected(
          SqlFailure{{ErrorCode::not_an_archive,
                      other->rows.empty() ? "the file is empty"
                                          : "the file is an SQLite database of another program",
                      kNoOffset,
                      {},
                      place_.path}});
    }
    for (const char* const sql : {"PRAGMA page_size = 4096", "PRAGMA auto_vacuum = INCREMENTAL",
                                  "PRAGMA journal_mode = WAL"}) {
      if (auto set = run(sql); !set) return done(set);
    }
    for (const std::string& sql : {"PRAGMA user_version = " + std::to_string(kSqlVersion),
                                   "PRAGMA application_id = " + std::to_string(kApplicationId)}) {
      if (auto set = run(sql); !set) return done(set);
    }
  }
  // A log of 256 KiB: a full disk has little that only a checkpoint can free. A large put makes it
  // longer for a while. Copies that SQLite made have another journal.
  for (const char* const sql : {"PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 64",
                                "PRAGMA journal_size_limit = 262144", "PRAGMA cell_size_check = ON",
                                "PRAGMA trusted_schema = OFF"}) {
    if (auto set = run(sql); !set) return done(set);
  }
  return {};
}

SqliteConnection::~SqliteConnection() {
  statements_.clear();
  sqlite3_close(database_);  // rolls back what was not committed
}

SqlResultOf<sqlite3_stmt*> SqliteConnection::statement(const std::string& sql) {
  Statement& known = statements_[sql];
  if (!known) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v3(database_, sql.c_str(), static_cast<int>(sql.size()),
                           SQLITE_PREPARE_PERSISTENT, &made, nullptr) != SQLITE_OK)
      return tl::unexpected(failure());
    known.reset(made);
  }
  return known.get();
}

SqlResultOf<std::vector<SqlRows>> SqliteConnection::run_each(const std::string& sql,
                                                             std::span<const SqlValues> values) {
  auto prepared = statement(sql);
  if (!prepared) return tl::unexpected(std::move(prepared.error()));
  std::vector<SqlRows> found;
  found.reserve(values.size());
  for (const SqlValues& each : values) {
    for (std::size_t i = 0; i < each.size(); ++i) {
      if (bind(*prepared, static_cast<int>(i + 1), each[i]) != SQLITE_OK)
        return tl::unexpected(failure());
    }
    SqlRows rows;
    int step = sqlite3_step(*prepared);
    for (; step == SQLITE_ROW; step = sqlite3_step(*prepared)) {
      rows.rows.emplace_back();
      for (int column = 0; column < sqlite3_column_count(*prepared); ++column)
        rows.rows.back().push_back(field_in(*prepared, column));
    }
    if (step != SQLITE_DONE) return tl::unexpected(failure());
    rows.changed = static_cast<std::uint64_t>(sqlite3_changes(database_));
    sqlite3_reset(*prepared);
    sqlite3_clear_bindings(*prepared);
    found.push_back(std::move(rows));
  }
  return found;
}

const SqlDialect& SqliteConnection::dialect() const noexcept {
  // Without the join, the id would be read from the index.
  static constexpr SqlDialect kDialect{
      "BLOB", "TEXT",
      "SELECT chunk.id, chunk.bytes FROM hdb_chunk AS place CROSS JOIN hdb_chunk AS chunk "
      "ON chunk.rowid = place.rowid WHERE place.id = $1"};
  return kDialect;
}

SqlResultOf<bool> SqliteConnection::has_table(const std::string& name) {
  const auto rows =
      run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '" + name + "'");
  if (!rows) return tl::unexpected(rows.error());
  return !rows->rows.empty();
}

// A damaged schema may be an empty one.
SqlResultOf<void> SqliteConnection::begin_create() {
  if (auto begun = begin(); !begun) return begun;
  const auto pages = run("PRAGMA page_count");
  const auto exists = has_table("hdb_archive");
  if (!pages || !exists) return pages ? done(exists) : done(pages);
  if (*exists || pages->number(0) <= kMostEmptyPages) return {};
  is_broken_ = true;  // the transaction ends with the connection
  return tl::unexpected(SqlFailure{
      {ErrorCode::bad_archive, "the schema of the file is lost", kNoOffset, {}, place_.path}});
}

std::string SqliteConnection::header_fault() {
  sqlite3_file* file = nullptr;
  std::array<char, 24> head{};
  if (sqlite3_file_control(database_, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      file->pMethods->xRead(file, head.data(), static_cast<int>(head.size()), 0) != SQLITE_OK)
    return {};
  if (std::string_view(head.data(), head.size()) !=
      std::string_view("SQLite format 3\0\x10\0\2\2\0\x40\x20\x20", 24))
    return "the header of the file is damaged";
  // SQLite would write new pages over the pages after the end that the header names.
  for (int i = 0; i < kMostAttempts; ++i) {
    int in_log = 0;
    int in_pages = 0;
    sqlite3_int64 size = 0;
    const int copied = sqlite3_wal_checkpoint_v2(database_, nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                                 &in_log, &in_pages);
    const auto pages = run("PRAGMA page_count");
    if (!pages || copied != SQLITE_OK || in_log != in_pages ||
        file->pMethods->xFileSize(file, &size) != SQLITE_OK ||
        size <= pages->number(0) * std::int64_t{kPageBytes})
      return {};
  }
  return "the number of pages in the header of the file is damaged";
}

std::optional<Error> SqliteConnection::fault_of(const SqlitePlace& place, const Hash128& id) {
  auto opened = open(place, false, Clock::now() + std::chrono::seconds(10));
  if (!opened) return damage_in(opened.error());
  auto& connection = static_cast<SqliteConnection&>(**opened);
  std::string what = connection.header_fault();
  if (what.empty()) {
    auto save = connection.run("SELECT manifest FROM hdb_save LIMIT 1");
    if (!save) return damage_in(save.error());
    if (save->rows.empty()) return std::nullopt;
    const auto manifest = decode_manifest(save->take_bytes(0));
    if (manifest && manifest->archive_id != id) what = "the id in hdb_archive is damaged";
  }
  if (what.empty()) {  // a key out of order leads past all that are on one side of it
    const auto missed = connection.run(
        "SELECT 1 FROM hdb_save AS save NOT INDEXED WHERE NOT EXISTS (SELECT 1 FROM hdb_save "
        "WHERE world = save.world AND sequence = save.sequence) LIMIT 1");
    if (!missed) return damage_in(missed.error());
    if (!missed->rows.empty()) what = "the index of the saves is damaged";
  }
  if (what.empty()) return std::nullopt;
  return Error{ErrorCode::bad_archive, std::move(what), kNoOffset, {}, place.path};
}

bool SqliteConnection::is_newer(const SqlitePlace& place) {
  const auto opened = open(place, false, Clock::now() + std::chrono::seconds(10));
  if (!opened) return false;
  const auto version = (*opened)->run("PRAGMA user_version");
  return version && version->number(0) > kSqlVersion;
}

SqlResultOf<std::vector<std::string>> SqliteConnection::check() {
  auto rows = run("PRAGMA integrity_check");
  if (!rows && rows.error().error.code == ErrorCode::bad_archive)
    return std::vector<std::string>{rows.error().error.what};
  if (!rows) return tl::unexpected(std::move(rows.error()));
  std::vector<std::string> faults;
  for (std::size_t row = 0; row < rows->rows.size(); ++row) {
    const Bytes text = rows->take_bytes(0, row);
    faults.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
  }
  if (faults.size() == 1 && faults[0] == "ok") faults.clear();
  return faults;
}

bool SqliteConnection::unlock() {
  // After a collection, the pages that it freed go back to the file system. If that fails, later
  // puts use them.
  if (lock_kind_ == HoldKind::collect) {
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (;;) {
      const auto free = run("PRAGMA freelist_count");
      if (!free || free->number(0) == 0 || free->number(0) >= before) break;
      before = free->number(0);
      if (!run("PRAGMA incremental_vacuum(64)")) break;
    }
    static_cast<void>(run("PRAGMA wal_checkpoint(TRUNCATE)"));
    make_reserve(place_);
  }
  lock_kind_ = HoldKind::write;
  return !is_broken_;
}

}  // namespace hdb::archive
