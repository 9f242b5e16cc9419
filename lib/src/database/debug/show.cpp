// Handles and records as text for a person at a debugger, and the list of databases for it.
#include <array>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/using_detail.hpp"
#include "core/tables/handle_bits.hpp"
#include "database/debug/known_databases.hpp"
#include "database/live/live_records.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/debug.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb {
namespace detail {

/// A database that exists. The scripts for debuggers (lib/debuggers) read this list in memory.
struct KnownDatabase {
  const TableList* tables;
  KnownDatabase* next;
};
/// The newest first. Always null in builds without assertions.
constinit KnownDatabase* known_databases = nullptr;

/// What those scripts read besides: named here so that the debug information of this file describes
/// it.
struct ReadByDebuggers {
  const Database* database;
  const BlobCore* blobs;
  const SnapshotData* snapshot;
};
constinit ReadByDebuggers read_by_debuggers{};

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
namespace {
// Never destroyed, for a database may be static. The mutex of MinGW-w64 has no constant value.
std::mutex& known_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}
}  // namespace

void note_database(const TableList& tables) {
  auto* const known = new KnownDatabase{&tables, nullptr};
  const std::lock_guard lock(known_mutex());
  known->next = std::exchange(known_databases, known);
}

void forget_database(const TableList& tables) noexcept {
  const std::lock_guard lock(known_mutex());
  KnownDatabase** at = &known_databases;
  while ((*at)->tables != &tables) at = &(*at)->next;
  delete std::exchange(*at, (*at)->next);
}
#endif

}  // namespace detail

namespace debug {
namespace {

// A longer record is cut.
constexpr std::size_t kMaxBytes = 1000;

std::string record_text(const TableList& tables, const TableEntry& entry, std::uint32_t slot,
                        std::uint32_t generation) {
  LiveRecords records(tables, entry);
  const auto record = records.read(slot, generation);
  if (!record) return printable_text(record.error().message());
  return value_text(**record, records.namer(), kMaxBytes);
}

std::string handle_text(const TableEntry& entry, std::uint64_t slot, std::uint32_t generation) {
  return escape_text(handle_name(descriptor_of(entry), slot, generation));
}

std::string show_in(const TableList& tables, const TableEntry& entry, std::uint64_t bits) {
  if (bits == 0) return "null";
  const TableCore& core = entry.core();
  const auto parts = split_handle(core.policy().layout, bits);
  if (!parts || parts->type_id != issuer_of(core).options().type_id)
    return "not a handle of table '" + escape_text(entry.name) + "'";
  const std::string text = handle_text(entry, parts->index, parts->generation);
  if (core.slots().matches(parts->index, parts->generation))
    return text + " live " + record_text(tables, entry, parts->index, parts->generation);
  if (entry.is_component()) return text + " none: no live record has this component";
  const std::uint64_t count = core.counters().slot_count;
  if (parts->index >= count)
    return text + " stale: the table has " + std::to_string(count) +
           (count == 1 ? " slot" : " slots");
  const std::uint32_t tag = core.slots().tag(parts->index);
  if (slot_tag::is_live(tag))
    return text + " stale: the slot holds " + handle_text(entry, parts->index, tag);
  return text + " stale: the slot holds no record";
}

using Lines = std::vector<std::string>;

// A text that stays until the next call of this thread.
const char* keep(const std::string& text) noexcept {
  thread_local std::array<char, 2 * kMaxBytes> shown;  // of many records, only the first fit
  shown[text.copy(shown.data(), shown.size() - 1)] = '\0';
  return shown.data();
}

// Calls find(tables, lines) for each database, which adds what it finds; `none`: when that is
// nothing.
template <class Find>
const char* lines_of(const Find& find, const char* none) noexcept {
  try {
    Lines lines;
    for (const KnownDatabase* known = known_databases; known != nullptr; known = known->next) {
      find(*known->tables, lines);
    }
    if (known_databases == nullptr)
      return "hdb knows no database: there is none, or the library has no assertions";
    if (lines.empty()) return none;
    std::string text;
    for (const std::string& line : lines) text += text.empty() ? line : "\n" + line;
    return keep(text);
  } catch (...) {
    return "no text: memory ran out, or the record threw an exception";
  }
}

}  // namespace

const char* show(const char* table, std::uint64_t handle) noexcept {
  return lines_of(
      [&](const TableList& tables, Lines& lines) {
        const TableEntry* const entry = tables.find(table);
        if (entry != nullptr) lines.push_back(show_in(tables, *entry, handle));
      },
      "no database has a table of this name");
}

const char* show(std::uint64_t handle) noexcept {
  if (handle == 0) return "null";
  return lines_of(
      [&](const TableList& tables, Lines& lines) {
        for (const auto& entry : tables) {
          const auto parts = split_handle(entry->core().policy().layout, handle);
          if (entry->is_component() || !parts || parts->type_id != entry->type_id()) continue;
          if (entry->core().slots().matches(parts->index, parts->generation))
            lines.push_back(show_in(tables, *entry, handle));
        }
      },
      "no table has a live record under these bits");
}

const char* show(HandleKey key, const HandleLayout& layout, std::uint64_t handle) noexcept {
  if (handle == 0) return "null";
  return lines_of(
      [&](const TableList& tables, Lines& lines) {
        const auto parts = split_handle(layout, handle);
        const TableEntry* const entry = layout.type_bits == 0 || !parts
                                            ? tables.find_key(key)
                                            : tables.find_type_id(parts->type_id);
        if (entry != nullptr && entry->core().policy().layout == layout)
          lines.push_back(show_in(tables, *entry, handle));
      },
      "no database has a table of these handles");
}

const char* show(const TableContent& table, std::uint64_t handle) noexcept {
  return lines_of(
      [&](const TableList& tables, Lines& lines) {
        for (const auto& entry : tables) {
          if (entry->content == &table) lines.push_back(show_in(tables, *entry, handle));
        }
      },
      "the table belongs to no database");
}

}  // namespace debug
}  // namespace hdb
