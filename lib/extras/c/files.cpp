// Information, validation and differences of files and snapshots for the C interface.
#include <cstdlib>

#include "c/objects.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/snapshot_diff.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/validate.hpp"
#include "hdb/save.hpp"

namespace hdb::c {
namespace {

constexpr std::size_t kMaxFindings = 20;

hdb_hash hash_of(const Hash128& hash) noexcept { return {hash.low, hash.high}; }

Error with_path(Error error, const char* path) {
  if (error.file.empty()) error.file = path;
  return error;
}

std::unique_ptr<Reader> open(const char* path) {
  auto reader = Reader::open(value_of(FileSource::open(path)));
  if (!reader) throw Failure{with_path(std::move(reader.error()), path)};
  return *std::move(reader);
}

std::string report_of(const Validation& found, const char* path) {
  std::string text;
  for (const Finding& finding : found.findings) {
    text += with_path(finding.error, path).message();
    if (!finding.effect.empty()) text += ": " + finding.effect;
    text += '\n';
  }
  if (found.trouble) text += with_path(*found.trouble, path).message() + '\n';
  return text;
}

ValidationLevel level_of(int level) {
  switch (level) {
    case HDB_VALIDATE_FULL: return ValidationLevel::full;
    case HDB_VALIDATE_QUICK: return ValidationLevel::quick;
    case HDB_VALIDATE_DEEP: return ValidationLevel::deep;
    default: break;
  }
  refuse_argument("'level' is " + std::to_string(level) +
                  ", but may be HDB_VALIDATE_FULL, HDB_VALIDATE_QUICK or HDB_VALIDATE_DEEP");
}

void add_record(const RecordDiff& record, std::string& text) {
  if (record.mark != DiffMark::changed) {
    text += static_cast<char>(record.mark);
    text += ' ' + escape_text(record.handle()) + '\n';
    return;
  }
  for (const FieldChange& field : record.fields) {
    text += escape_text(record.handle()) + '.' + field.path + ": " +
            field.old_value.value_or("none") + " -> " + field.new_value.value_or("none") + '\n';
  }
}

std::string text_of(const StateDiff& diff) {
  std::string text;
  for (const TableDiff& table : diff.tables) {
    const std::string where = "table '" + escape_text(table.name) + "'";
    if (!table.old_live) text += where + " was added\n";
    if (!table.new_live) text += where + " was removed\n";
    for (const SchemaChange& change : table.schema) {
      text += where + ": field " + escape_text(change.path) + ": " +
              (change.old_type.empty() ? "none" : change.old_type) + " -> " +
              (change.new_type.empty() ? "none" : change.new_type) + '\n';
    }
    for (const TableNote& note : table.notes) {
      text += where + ": " + note.what + " " + note.old_value + " -> " + note.new_value;
      if (!note.detail.empty()) text += " (" + note.detail + ")";
      text += '\n';
    }
    for (const RecordDiff& record : table.details) add_record(record, text);
    const std::uint64_t shown = table.details.size();
    if (table.records() > shown)
      text += where + ": " + std::to_string(table.records() - shown) + " more records\n";
  }
  return text;
}

void clear(hdb_difference* out, char** text) {
  if (text != nullptr) *text = nullptr;
  if (out == nullptr) return;
  require_size(out->struct_size, 1, sizeof(hdb_difference), "hdb_difference");
  fill_out(out, hdb_difference{});
}

/// `compare(options)` returns a Result<StateDiff>.
template <class Compare>
void compare(std::uint64_t max_records, hdb_difference* out, char** text, const Compare& compare) {
  DiffOptions options;
  options.max_details = max_records;
  options.records = options.fields = text != nullptr;
  const StateDiff diff = value_of(compare(options));
  if (text != nullptr) *text = text_for_caller(text_of(diff));
  if (out == nullptr) return;
  hdb_difference filled{};
  filled.differs = diff.differs() ? 1 : 0;
  for (const TableDiff& table : diff.tables) {
    filled.added += table.added;
    filled.removed += table.removed;
    filled.changed += table.changed;
    filled.reused += table.reused;
  }
  fill_out(out, filled);
}

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;

extern "C" {

hdb_status hdb_read_info(const char* path, hdb_info* info, hdb_error** error) {
  return guarded(error, [&] {
    require(info, "info");
    require_size(info->struct_size, 1, sizeof(hdb_info), "hdb_info");
    fill_out(info, hdb_info{});
    require(path, "path");
    const hdb::FileInfo found = value_of(hdb::read_info(path));
    hdb_info filled{};
    filled.version_major = found.version_major;
    filled.version_minor = found.version_minor;
    filled.file_bytes = found.file_bytes;
    filled.file_id = hash_of(found.file_id);
    filled.state_hash = hash_of(found.state_hash);
    filled.play_time_ms = found.metadata.play_time_ms;
    filled.date_unix_ms = found.metadata.date_unix_ms;
    filled.sequence = found.metadata.sequence;
    if (info->struct_size >= offsetof(hdb_info, title) + sizeof info->title)
      filled.title = text_for_caller(found.metadata.title);
    fill_out(info, filled);
  });
}

hdb_status hdb_validate(const char* path, int level, char** report, hdb_error** error) {
  return guarded(error, [&] {
    if (report != nullptr) *report = nullptr;
    require(path, "path");
    hdb::ValidationOptions options;
    options.level = level_of(level);
    options.max_findings = kMaxFindings;
    const hdb::Validation found = hdb::validate(value_of(hdb::FileSource::open(path)), options);
    if (report != nullptr) *report = text_for_caller(report_of(found, path));
    if (!found.findings.empty()) throw Failure{with_path(found.findings.front().error, path)};
    if (found.trouble) throw Failure{with_path(*found.trouble, path)};
  });
}

hdb_status hdb_diff_files(const char* before, const char* after, uint64_t max_records,
                          hdb_difference* difference, char** text, hdb_error** error) {
  return guarded(error, [&] {
    clear(difference, text);
    require(before, "before");
    require(after, "after");
    const auto a = open(before);
    const auto b = open(after);
    compare(max_records, difference, text, [&](hdb::DiffOptions& options) {
      options.files = {before, after};
      return hdb::diff(*a, *b, options);
    });
  });
}

hdb_status hdb_diff_snapshots(const hdb_snapshot* before, const hdb_snapshot* after,
                              uint64_t max_records, hdb_difference* difference, char** text,
                              hdb_error** error) {
  return guarded(error, [&] {
    clear(difference, text);
    require(before, "before");
    require(after, "after");
    compare(max_records, difference, text, [&](const hdb::DiffOptions& options) {
      return hdb::diff(before->snapshot, after->snapshot, options);
    });
  });
}

}  // extern "C"
