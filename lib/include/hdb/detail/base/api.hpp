// HDB_INSPECT_API, HDB_API, HDB_ARCHIVE_API, HDB_ENTT_API, HDB_IMGUI_API: what the shared libraries
// hdb_inspect, hdb, hdb_archive, hdb_entt and hdb_imgui export. They are empty with static
// libraries, which leave HDB_SHARED undefined.
#pragma once

#include "hdb/detail/base/compiler.hpp"

#if !defined(HDB_SHARED)
#define HDB_INSPECT_API
#define HDB_API
#define HDB_ARCHIVE_API
#define HDB_ENTT_API
#define HDB_IMGUI_API
#else
#if defined(HDB_BUILDS_INSPECT)
#define HDB_INSPECT_API HDB_EXPORT
#else
#define HDB_INSPECT_API HDB_IMPORT
#endif
#if defined(HDB_BUILDS_HDB)
#define HDB_API HDB_EXPORT
#else
#define HDB_API HDB_IMPORT
#endif
#if defined(HDB_BUILDS_ARCHIVE)
#define HDB_ARCHIVE_API HDB_EXPORT
#else
#define HDB_ARCHIVE_API HDB_IMPORT
#endif
#if defined(HDB_BUILDS_ENTT)
#define HDB_ENTT_API HDB_EXPORT
#else
#define HDB_ENTT_API HDB_IMPORT
#endif
#if defined(HDB_BUILDS_IMGUI)
#define HDB_IMGUI_API HDB_EXPORT
#else
#define HDB_IMGUI_API HDB_IMPORT
#endif
#endif
