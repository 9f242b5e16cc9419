// Database: named tables, captured and restored, saved and loaded as one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/base/io.hpp"
#include "hdb/core/table.hpp"
#include "hdb/database/load.hpp"
#include "hdb/database/snapshot.hpp"
#include "hdb/record/codec.hpp"
#include "hdb/record/make_codec.hpp"

namespace hdb {

/// A table of exactly one record: a clock, a random generator, settings.
template <class T>
class Singleton {
 public:
  explicit Singleton(Table<T>& table) : table_(&table) {}
  [[nodiscard]] const T& get() const noexcept { return *table_->begin(); }
  [[nodiscard]] const T& operator*() const noexcept { return get(); }
  [[nodiscard]] const T* operator->() const noexcept { return &get(); }
  /// For writing; good until the next capture or restore.
  [[nodiscard]] T& edit() { return *table_->edit(table_->begin().handle()); }

 private:
  Table<T>* table_;
};

/// One table of a database, without its type.
struct TableEntry {
  std::string name;
  TableCore* core = nullptr;
  std::shared_ptr<void> table;      ///< The Table<...>.
  std::shared_ptr<void> singleton;  ///< The Singleton<...> of a one-record table.
  std::shared_ptr<const RecordCodec> codec;
  HandleKey key = nullptr;  ///< handle_key of the table's handles.
  bool is_singleton = false;
};

struct DatabaseOptions {
  std::shared_ptr<PageSource> page_source = {};  ///< null: the heap.
};

/// Named tables. Not locked: one thread mutates; see DESIGN for what others may do meanwhile.
///
/// Invalidates: capture, restore and load invalidate mutable record pointers; restore and load also change what handles
/// resolve to. References to tables stay good as long as the database.
class Database {
 public:
  explicit Database(const DatabaseOptions& options = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Makes a table. A name already used, or a record that cannot be saved, ends the program with a message: it is a
  /// programming error. try_create_table gives a Result.
  template <class Record, class L = DefaultLayout, class Tag = Record>
  Table<Record, L, Tag>& create_table(std::string_view name, const TableOptions& options = {}) {
    return *value_or_end(try_create_table<Record, L, Tag>(name, options));
  }
  template <class Record, class L = DefaultLayout, class Tag = Record>
  [[nodiscard]] Result<Table<Record, L, Tag>*> try_create_table(std::string_view name,
                                                                TableOptions options = {}) {
    auto codec = make_codec<Record>();
    if (auto checked = check_new_table(name, L::value, options, handle_key<Tag, L>(), *codec);
        !checked) {
      return fail(std::move(checked.error()));
    }
    auto table = std::make_shared<Table<Record, L, Tag>>(options, pool_);
    auto* const raw = table.get();
    add({std::string(name), &raw->core(), std::move(table), nullptr, std::move(codec),
         handle_key<Tag, L>(), false});
    return raw;
  }
  /// The table of this name and type; null when there is none.
  template <class Record, class L = DefaultLayout, class Tag = Record>
  [[nodiscard]] Table<Record, L, Tag>* find_table(std::string_view name) noexcept {
    TableEntry* const entry = find_entry(name);
    if (entry == nullptr || entry->key != handle_key<Tag, L>()) return nullptr;
    return static_cast<Table<Record, L, Tag>*>(entry->table.get());
  }

  /// A table of exactly one record, default-constructed at first. Ends the program when the name is used otherwise.
  template <class T>
  Singleton<T>& singleton(std::string_view name) {
    if (TableEntry* const entry = find_entry(name);
        entry != nullptr && entry->is_singleton && entry->key == handle_key<T, DefaultLayout>()) {
      return *static_cast<Singleton<T>*>(entry->singleton.get());
    }
    Table<T>& table = create_table<T>(name, {.storage = Storage::stable});
    table.emplace();
    TableEntry& entry = *find_entry(name);
    entry.is_singleton = true;
    auto singleton = std::make_shared<Singleton<T>>(table);
    entry.singleton = singleton;
    return *singleton;
  }

  /// Captures the state: O(pages), not O(bytes). Ends mutable pointers.
  [[nodiscard]] Snapshot capture();
  /// Brings a captured state back, all or nothing. Tables made since the capture become empty.
  /// Errors: foreign_snapshot, fork_under_wrap, fork_exhausted; then nothing changed.
  Status restore(const Snapshot& snapshot, const RestoreOptions& options = {});

  /// Loads a file, all or nothing: after an error the database is as it was.
  Result<LoadReport> load(const std::string& path, const LoadOptions& options = {});
  /// Loads from a source of the caller's (memory, a console's save call).
  Result<LoadReport> load(std::unique_ptr<ByteSource> source, const LoadOptions& options = {});

  /// The hash of the present state; captures to get it.
  [[nodiscard]] Hash128 state_hash() { return capture().state_hash(); }

  /// Allocates and touches a spare page for each page that the tables hold now, so that the writes after a capture find
  /// warm memory: a first touch costs many times the copy. For loading screens.
  /// Complexity: O(bytes). Doubles the memory of the tables at most.
  void reserve_copies();
  /// Checks every table; null when all invariants hold, else the id and text of one that does not.
  [[nodiscard]] const char* check_invariants() const;
  /// Memory of all pages, in use and spare, in bytes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return pool_->memory_bytes(); }

 private:
  /// Checks name, options (filling in a type id where one is needed) and the record's schema.
  [[nodiscard]] Status check_new_table(std::string_view name, const HandleLayout& layout,
                                       TableOptions& options, HandleKey key,
                                       const RecordCodec& codec) const;
  void add(TableEntry entry);
  [[nodiscard]] TableEntry* find_entry(std::string_view name) noexcept;
  [[nodiscard]] std::string table_name(HandleKey key) const;
  struct Schemas;
  [[nodiscard]] std::shared_ptr<const Schemas> schemas();
  [[nodiscard]] Status restore_exact(const SnapshotData& data);
  [[nodiscard]] Status restore_fork(const SnapshotData& data);
  friend class Loader;
  friend struct SnapshotData;

  template <class T>
  static T value_or_end(Result<T> result) {
    if (!result) fatal(result.error().message().c_str(), __FILE__, __LINE__);
    return *std::move(result);
  }

  std::shared_ptr<PagePool> pool_;
  std::vector<std::unique_ptr<TableEntry>> tables_;  // in rising order of names
  std::shared_ptr<const Schemas> schemas_;           // null: to be made anew
};

}  // namespace hdb
