// Forward declarations of the types that games pass around: for the game's own headers, which then
// need no other header of hdb. A handle that a struct holds by value needs hdb/handle.hpp.
#pragma once

#include <cstdint>

/// Each type is described where it is defined.
///
/// Example:
/// @code
/// struct Camera;  // a record that another file of the game defines
/// struct Scene {  // in a header that includes hdb/fwd.hpp and nothing else of hdb
///   hdb::Database* database = nullptr;
///   hdb::Table<Camera>* cameras = nullptr;
///   hdb::Handle<Camera> active() const;
///   void after_load(const hdb::LoadReport& report);
/// };
/// assert(Scene().cameras == nullptr);
/// @endcode
namespace hdb {

// Handles and what they name.
template <unsigned IndexBits, unsigned GenerationBits, unsigned TypeBits = 0>
struct Layout;  // hdb/handle.hpp
/// The layout of handles that name no other: 32 index bits, 31 generation bits, 64 bits in all.
using DefaultLayout = Layout<32, 31>;
enum class HandleCheck : std::uint8_t;  // hdb/table_options.hpp
template <class T, class L = DefaultLayout>
class Handle;  // hdb/handle.hpp
template <class T, class L = DefaultLayout>
class Strong;  // hdb/handle.hpp
template <class Record, class L = DefaultLayout, class Tag = Record>
class Ref;  // hdb/ref.hpp

// Tables.
template <class Record, class L = DefaultLayout, class Tag = Record, HandleCheck A = HandleCheck{}>
class Table;  // hdb/table.hpp
template <class Component, class Owner, class L = DefaultLayout>
class ComponentTable;  // hdb/component_table.hpp
template <class Meta, class L = DefaultLayout, class Tag = Meta>
class BlobTable;  // hdb/blob_table.hpp
template <class Record, class L = DefaultLayout, class Tag = Record>
class ResourceTable;  // hdb/resource_table.hpp
template <class T>
class Singleton;  // hdb/singleton.hpp
template <class Value, class TableType>
class Sidecar;  // hdb/sidecar.hpp
template <class TableType>
class BoundHandle;  // hdb/bound_handle.hpp
template <class TableType>
class TableBinding;               // hdb/bound_handle.hpp
enum class Scope : std::uint8_t;  // hdb/table_options.hpp
struct TableOptions;              // hdb/table_options.hpp
struct ComponentOptions;          // hdb/table_options.hpp
struct BlobOptions;               // hdb/table_options.hpp

// The database, captures and their changes.
class Database;                          // hdb/database.hpp
class PageSource;                        // hdb/page_source.hpp
class Snapshot;                          // hdb/snapshot.hpp
class History;                           // hdb/history.hpp
struct DatabaseOptions;                  // hdb/database.hpp
struct HistoryOptions;                   // hdb/history.hpp
struct RestoreOptions;                   // hdb/load.hpp
struct Changes;                          // hdb/changes.hpp
struct TableChanges;                     // hdb/changes.hpp
enum class TimelineMode : std::uint8_t;  // hdb/load.hpp

// Save, load and import.
class Autosaver;                       // hdb/autosaver.hpp
class SaveDirectory;                   // hdb/save_directory.hpp
class SaveTarget;                      // hdb/save.hpp
class Saving;                          // hdb/save.hpp
class ChunkCache;                      // hdb/chunk_cache.hpp
class FileSystem;                      // hdb/file_system.hpp
class ByteSink;                        // hdb/io.hpp
class ByteSource;                      // hdb/io.hpp
class DynamicValue;                    // hdb/dynamic_value.hpp
class MigrationContext;                // hdb/migration.hpp
struct AutosaverOptions;               // hdb/autosaver.hpp
struct SaveDirectoryOptions;           // hdb/save_directory.hpp
struct SaveEntry;                      // hdb/save_directory.hpp
struct LoadedSave;                     // hdb/save_directory.hpp
struct SaveOptions;                    // hdb/save.hpp
struct SaveReport;                     // hdb/save.hpp
struct LoadOptions;                    // hdb/load.hpp
struct LoadReport;                     // hdb/load.hpp
struct TableLoadReport;                // hdb/load.hpp
struct ImportOptions;                  // hdb/import.hpp
struct ImportReport;                   // hdb/import.hpp
struct Migration;                      // hdb/migration.hpp
struct Metadata;                       // hdb/file_info.hpp
struct FileInfo;                       // hdb/file_info.hpp
struct Progress;                       // hdb/write_options.hpp
struct Hash128;                        // hdb/hash.hpp
struct Error;                          // hdb/error.hpp
enum class ErrorCode : std::uint16_t;  // hdb/error.hpp

}  // namespace hdb
