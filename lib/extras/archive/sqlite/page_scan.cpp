// The pages of an SQLite file (https://sqlite.org/fileformat2.html) of 4 KiB each. Only leaves of
// tables have rows; the pages of the free list have rows that were removed.
#include "archive/sqlite/page_scan.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <sqlite3.h>

#include "archive/manifest.hpp"
#include "archive/sql/sql_backend.hpp"

namespace hdb::archive {
namespace {

constexpr std::uint32_t kFirstPageHeader = 100;
constexpr std::byte kTableLeaf{0x0d};
constexpr std::uint32_t kOverflowBytes = kPageBytes - 4;  // after the number of the next page
constexpr std::uint64_t kMostRowBytes = std::uint64_t{1} << 31;

using Page = std::array<std::byte, kPageBytes>;

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  for (std::size_t i = at; i < at + size; ++i)
    number = number << 8 | (i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0U);
  return number;
}

// A number of 1 to 9 bytes; moves `at` after it.
std::uint64_t take_varint(std::span<const std::byte> bytes, std::size_t& at) {
  std::uint64_t number = 0;
  for (int i = 0; i < 9 && at < bytes.size(); ++i) {
    const auto byte = std::to_integer<std::uint64_t>(bytes[at++]);
    if (i == 8) return number << 8 | byte;
    number = number << 7 | (byte & 0x7f);
    if (byte < 0x80) break;
  }
  return number;
}

// The columns of a row; none if they do not add up to it.
std::vector<std::span<const std::byte>> columns_in(std::span<const std::byte> row) {
  std::size_t at = 0;
  const std::uint64_t head = take_varint(row, at);
  std::uint64_t data = head;
  std::vector<std::span<const std::byte>> columns;
  while (at < head && head <= row.size()) {
    constexpr std::array<std::uint64_t, 12> kBytes{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    const std::uint64_t type = take_varint(row, at);
    const std::uint64_t size = type < 12 ? kBytes[type] : (type - 12) / 2;
    if (size > row.size() - data) return {};
    columns.push_back(row.subspan(static_cast<std::size_t>(data), static_cast<std::size_t>(size)));
    data += size;
  }
  if (data != row.size() || at != head) return {};
  return columns;
}

}  // namespace

// Reads through SQLite: closing a file of its own would release the locks that SQLite has on it.
std::unique_ptr<PageScan> PageScan::make(const std::string& path) {
  std::unique_ptr<PageScan> made(new PageScan);
  if (sqlite3_open_v2(path.c_str(), &made->database_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
    return nullptr;
  // What was committed goes into the pages, as far as other programs allow it.
  static_cast<void>(sqlite3_wal_checkpoint_v2(made->database_, nullptr, SQLITE_CHECKPOINT_PASSIVE,
                                              nullptr, nullptr));
  sqlite3_file*& file = made->file_;
  sqlite3_int64 size = 0;
  if (sqlite3_file_control(made->database_, "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
          SQLITE_OK ||
      file->pMethods == nullptr || file->pMethods->xFileSize(file, &size) != SQLITE_OK)
    return nullptr;
  made->scan(static_cast<std::uint32_t>(size / kPageBytes));
  return made;
}

PageScan::~PageScan() { sqlite3_close(database_); }

bool PageScan::read_page(std::uint32_t number, std::span<std::byte> out) const {
  return file_->pMethods->xRead(file_, out.data(), static_cast<int>(out.size()),
                                std::int64_t{number - 1} * kPageBytes) == SQLITE_OK;
}

std::vector<bool> PageScan::free_pages(std::uint32_t pages) const {
  std::vector<bool> free(std::size_t{pages} + 1, false);
  Page page;
  if (pages == 0 || !read_page(1, page)) return free;
  const auto is_new = [&](std::uint32_t number) {
    return number > 1 && number <= pages && !free[number];
  };
  for (std::uint32_t trunk = number_at(page, 32, 4); is_new(trunk) && read_page(trunk, page);
       trunk = number_at(page, 0, 4)) {
    free[trunk] = true;
    const std::uint32_t leaves = std::min(number_at(page, 4, 4), kPageBytes / 4 - 2);
    for (std::uint32_t i = 0; i < leaves; ++i) {
      if (const std::uint32_t leaf = number_at(page, 8 + 4 * i, 4); is_new(leaf)) free[leaf] = true;
    }
  }
  return free;
}

std::optional<Bytes> PageScan::payload(std::span<const std::byte> page, std::uint32_t at) const {
  std::size_t begin = at;
  const std::uint64_t size = take_varint(page, begin);
  take_varint(page, begin);  // the number of the row
  constexpr std::uint64_t kMostLocal = kPageBytes - 35;
  constexpr std::uint64_t kLeastLocal = (kPageBytes - 12) * 32 / 255 - 23;
  if (size > kMostRowBytes) return std::nullopt;
  std::uint64_t local = size;
  if (size > kMostLocal) {
    local = kLeastLocal + (size - kLeastLocal) % kOverflowBytes;
    if (local > kMostLocal) local = kLeastLocal;
  }
  if (begin + local > page.size()) return std::nullopt;
  const auto first = page.subspan(begin, static_cast<std::size_t>(local));
  Bytes bytes(first.begin(), first.end());
  Page overflow;
  for (std::uint32_t next = number_at(page, begin + first.size(), 4); bytes.size() < size;
       next = number_at(overflow, 0, 4)) {
    if (next == 0 || !read_page(next, overflow)) return std::nullopt;
    const auto more = std::min<std::uint64_t>(kOverflowBytes, size - bytes.size());
    bytes.insert(bytes.end(), overflow.begin() + 4,
                 overflow.begin() + 4 + static_cast<std::ptrdiff_t>(more));
  }
  return bytes;
}

void PageScan::scan(std::uint32_t pages) {
  const std::vector<bool> free = free_pages(pages);
  Page page;
  for (std::uint32_t number = 1; number <= pages; ++number) {
    if (free[number] || !read_page(number, page)) continue;
    const std::uint32_t head = number == 1 ? kFirstPageHeader : 0;
    if (page[head] != kTableLeaf) continue;
    const std::uint32_t cells = std::min(number_at(page, head + 3, 2), kPageBytes / 2);
    for (std::uint32_t i = 0; i < cells; ++i) {
      const std::uint32_t at = number_at(page, head + 8 + 2 * i, 2);
      if (at < head + 8 || at >= kPageBytes) continue;
      if (auto row = payload(page, at)) add_row(*std::move(row), {number, at});
    }
  }
  std::map<Hash128, std::size_t> ids;
  for (const auto& [key, bytes] : saves_) ++ids[decode_manifest(bytes)->archive_id];
  const auto most = std::max_element(
      ids.begin(), ids.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != ids.end()) archive_id_ = most->first;
}

void PageScan::add_row(Bytes row, Place place) {
  const auto columns = columns_in(row);
  ObjectId id{};
  if (columns.size() == 2 && columns[0].size() == id.size()) {  // hdb_chunk
    std::copy(columns[0].begin(), columns[0].end(), id.begin());
    chunks_[id] = place;
  } else if (columns.size() == 5 && columns[1].size() == 16) {  // hdb_archive
    archive_id_ = id_of_bytes(columns[1]);
  } else if (columns.size() == 5) {  // hdb_save
    const auto manifest = decode_manifest(columns[4]);
    if (!manifest) return;
    saves_[save_key(manifest->world, manifest->sequence)].assign(columns[4].begin(),
                                                                 columns[4].end());
  }
}

std::optional<std::uint64_t> PageScan::count_saves() const {
  sqlite3_stmt* statement = nullptr;
  std::optional<std::uint64_t> count;
  if (sqlite3_prepare_v2(database_, "SELECT count(world) FROM hdb_save NOT INDEXED", -1, &statement,
                         nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW)
    count = static_cast<std::uint64_t>(sqlite3_column_int64(statement, 0));
  sqlite3_finalize(statement);
  return count;
}

std::optional<Bytes> PageScan::chunk(const ObjectId& id) const {
  const auto found = chunks_.find(id);
  Page page;
  if (found == chunks_.end() || !read_page(found->second.page, page)) return std::nullopt;
  const auto row = payload(page, found->second.at);
  if (!row) return std::nullopt;
  const auto columns = columns_in(*row);
  if (columns.size() != 2) return std::nullopt;
  return Bytes(columns[1].begin(), columns[1].end());
}

}  // namespace hdb::archive
