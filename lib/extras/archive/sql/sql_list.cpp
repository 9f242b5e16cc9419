// Lists are read in pages, in the order of an index that has all that they need.
#include "archive/sql/sql_list.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "archive/manifest.hpp"
#include "archive/sql/sql_row.hpp"

namespace hdb::archive {
namespace {

const std::string kListChunks =
    "SELECT id, length(bytes) FROM hdb_chunk WHERE id > $1 ORDER BY id LIMIT 10000";
const std::string kReadSaves =
    "SELECT world, sequence, title, saved_at, manifest FROM hdb_save "
    "WHERE (world, sequence) > ($1, $2) ORDER BY world, sequence LIMIT 100";
const std::string kListSaves =
    "SELECT world, sequence FROM hdb_save WHERE (world, sequence) > ($1, $2) "
    "ORDER BY world, sequence LIMIT 10000";

// A damaged index may lead in circles: it is not read for ever.
tl::unexpected<SqlFailure> endless_index(const SqlPool& database, const char* table) {
  return tl::unexpected(SqlFailure{{ErrorCode::bad_archive,
                                    "the index of " + std::string(table) + " is damaged",
                                    kNoOffset,
                                    {},
                                    database.place()}});
}

// Calls visit(name, rows, row) for each save from the world `first` on, until it returns false.
template <class Visit>
Status for_each_save(SqlPool& database, const std::string& statement, std::string_view first,
                     const Visit& visit) {
  std::pair<std::string, std::int64_t> after(first, -1);
  for (bool more = true; more;) {
    auto listed = database.with([&](SqlConnection& connection, unsigned) -> SqlResultOf<void> {
      auto page = connection.run(statement, {std::string_view(after.first), after.second});
      if (!page) return tl::unexpected(page.error());
      more = !page->rows.empty();
      for (std::size_t row = 0; more && row < page->rows.size(); ++row) {
        std::pair<std::string, std::int64_t> name(page->text(0, row), page->number(1, row));
        more = visit({name.first, static_cast<std::uint64_t>(name.second)}, *page, row);
        if (!more || row + 1 < page->rows.size()) continue;
        if (name <= after) return endless_index(database, "hdb_save");
        after = std::move(name);
      }
      return {};
    });
    if (!listed) return fail(std::move(listed.error().error));
  }
  return {};
}

}  // namespace

Status list_chunks(SqlPool& database, std::vector<ListedObject>& objects) {
  Bytes after;
  for (bool more = true; more;) {
    auto listed = database.with([&](SqlConnection& connection, unsigned) -> SqlResultOf<void> {
      auto page = connection.run(kListChunks, {std::span<const std::byte>(after)});
      if (!page) return tl::unexpected(std::move(page.error()));
      for (std::size_t row = 0; row < page->rows.size(); ++row) {
        Bytes bytes = page->take_bytes(0, row);
        ObjectId id{};
        std::copy_n(bytes.begin(), std::min(id.size(), bytes.size()), id.begin());
        objects.push_back({key_of(id), static_cast<std::uint64_t>(page->number(1, row))});
        if (row + 1 < page->rows.size()) continue;
        if (!std::lexicographical_compare(after.begin(), after.end(), bytes.begin(), bytes.end()))
          return endless_index(database, "hdb_chunk");
        after = std::move(bytes);
      }
      more = !page->rows.empty();
      return {};
    });
    if (!listed) return fail(std::move(listed.error().error));
  }
  return {};
}

Status list_saves(SqlPool& database, std::string_view world, std::vector<ListedObject>& objects) {
  return for_each_save(database, kListSaves, world,
                       [&](const SaveName& save, const SqlRows&, std::size_t) {
                         if (!world.empty() && save.world != world) return false;
                         objects.push_back({save_key(save.world, save.sequence), 0});
                         return true;
                       });
}

Status check_columns(SqlPool& database, std::vector<Error>& faults) {
  return for_each_save(
      database, kReadSaves, {}, [&](const SaveName& save, SqlRows& rows, std::size_t row) {
        const std::string_view wrong =
            wrong_column(rows.text(2, row), rows.text(3, row), rows.take_bytes(4, row));
        if (wrong.empty()) return true;
        faults.push_back(
            {ErrorCode::bad_archive,
             "the column " + std::string(wrong) + " of hdb_save is not that of the manifest",
             kNoOffset, "save " + save.world + '/' + std::to_string(save.sequence),
             database.place()});
        return true;
      });
}

}  // namespace hdb::archive
