// Keys and readable columns of the rows of objects.
#include "archive/sql/sql_row.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

#include "archive/manifest.hpp"
#include "format/frame/catalog.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::archive {
namespace {

constexpr std::uint64_t kHighestSequence = std::numeric_limits<std::int64_t>::max();

// The readable columns of hdb_save.
struct SqlSaveColumns {
  std::string title;
  std::string saved_at;
};

// `2026-11-27 16:25:03`, in UTC; empty: the save has no date.
std::string date_text(std::int64_t unix_ms) {
  using namespace std::chrono;
  constexpr std::int64_t kYear9999 = 253'402'300'800'000;
  if (unix_ms <= 0 || unix_ms >= kYear9999) return {};
  const auto time = sys_time<seconds>(duration_cast<seconds>(milliseconds(unix_ms)));
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02u %02d:%02d:%02d",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

// Nothing if the manifest cannot be read.
std::optional<SqlSaveColumns> columns_of(std::span<const std::byte> manifest) {
  const auto read = decode_manifest(manifest);
  if (!read) return std::nullopt;
  auto metadata = format::decode_metadata(read->metadata, 0);
  if (!metadata) return std::nullopt;
  std::replace(metadata->title.begin(), metadata->title.end(), '\0', ' ');
  return SqlSaveColumns{std::move(metadata->title), date_text(metadata->date_unix_ms)};
}

}  // namespace

Result<SqlRowKey> row_key_of(std::string_view key) {
  SqlRowKey row;
  if (const auto id = id_of(key)) {
    row.id = *id;
    return row;
  }
  auto name = parse_save_key(key);
  if (!name) return fail(ErrorCode::bad_options, "'" + escape_text(key) + "' cannot be a key");
  if (name->sequence > kHighestSequence) {
    return fail(ErrorCode::bad_options,
                "the sequence number " + std::to_string(name->sequence) +
                    " of the save is too high for an SQL database: use at most " +
                    std::to_string(kHighestSequence));
  }
  row.is_save = true;
  row.world = std::move(name->world);
  row.sequence = static_cast<std::int64_t>(name->sequence);
  return row;
}

SqlResultOf<bool> put_save(SqlConnection& connection, const SqlRowKey& key,
                           std::span<const std::byte> manifest) {
  const SqlSaveColumns columns = columns_of(manifest).value_or(SqlSaveColumns{});
  const auto put = connection.run(
      "INSERT INTO hdb_save (world, sequence, title, saved_at, manifest) "
      "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (world, sequence) DO NOTHING",
      {std::string_view(key.world), key.sequence, std::string_view(columns.title),
       std::string_view(columns.saved_at), manifest});
  if (!put) return tl::unexpected(put.error());
  return put->changed == 1;
}

std::string_view wrong_column(std::string_view title, std::string_view saved_at,
                              std::span<const std::byte> manifest) {
  const auto columns = columns_of(manifest);
  if (!columns) return {};
  if (title != columns->title) return "title";
  return saved_at != columns->saved_at ? "saved_at" : "";
}

}  // namespace hdb::archive
