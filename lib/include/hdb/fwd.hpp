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
struct Layout;
/// The layout of handles that name no other: 32 index bits, 31 generation bits, 64 bits in all.
using DefaultLayout = Layout<32, 31>;
enum class HandleCheck : std::uint8_t;
template <class T, class L = DefaultLayout>
class Handle;
template <class T, class L = DefaultLayout>
class Strong;
template <class Record, class L = DefaultLayout, class Tag = Record>
class Ref;

// Tables.
template <class Record, class L = DefaultLayout, class Tag = Record, HandleCheck A = HandleCheck{}>
class Table;
template <class Component, class Owner, class L = DefaultLayout>
class ComponentTable;
template <class Meta, class L = DefaultLayout, class Tag = Meta>
class BlobTable;
template <class Record, class L = DefaultLayout, class Tag = Record>
class ResourceTable;
template <class T>
class Singleton;
template <class Value, class TableType>
class Sidecar;
template <class TableType>
class BoundHandle;
template <class TableType>
class TableBinding;
enum class Scope : std::uint8_t;
struct TableOptions;
struct ComponentOptions;
struct BlobOptions;

// The database, captures and their changes.
class Database;
class PageSource;
class Snapshot;
class History;
struct DatabaseOptions;
struct HistoryOptions;
struct RestoreOptions;
struct Changes;
struct TableChanges;
enum class TimelineMode : std::uint8_t;

// Save, load and import.
class Autosaver;
class SaveDirectory;
class SaveTarget;
class Saving;
class ChunkCache;
class FileSystem;
class ByteSink;
class ByteSource;
class DynamicValue;
class MigrationContext;
struct AutosaverOptions;
struct SaveDirectoryOptions;
struct SaveEntry;
struct LoadedSave;
struct SaveOptions;
struct SaveReport;
struct LoadOptions;
struct LoadReport;
struct TableLoadReport;
struct ImportOptions;
struct ImportReport;
struct Migration;
struct Metadata;
struct FileInfo;
struct Progress;
struct Hash128;
struct Error;
enum class ErrorCode : std::uint16_t;

}  // namespace hdb
