# Finds the libraries that hdb uses: read by hdb's own build and, installed, by hdbConfig.cmake.
#
# Each dependency becomes one target hdb::NAME, an alias of the first of these that exists:
#   1. a target of the project that uses hdb (it vendors the library, or has found it already);
#   2. the target of the library's CMake package;
#   3. its header and library file on the search paths; if pkg-config is installed, the folders that
#      it names come first.
# HDB_NAME_INCLUDE_DIR and HDB_NAME_LIBRARY (cache) override the search of step 3. With HDB_BUNDLED,
# zstd and xxHash are inside of hdb's libraries, and nothing is looked for.

# hdb_find_dependency(NAME PACKAGE package TARGETS target... HEADER header
#                     [LIBRARY name [MODULE pkg-config-module]])
# Without LIBRARY the dependency consists of headers only. If the dependency does not exist, the
# function appends NAME to hdb_missing_dependencies.
function(hdb_find_dependency name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PACKAGE;HEADER;LIBRARY;MODULE" "TARGETS")
  if(TARGET hdb::${name})
    return()
  endif()

  foreach(source IN ITEMS project package)
    if(source STREQUAL package)
      find_package(${arg_PACKAGE} CONFIG QUIET)
    endif()
    foreach(target IN LISTS arg_TARGETS)
      if(TARGET ${target})
        add_library(hdb::${name} INTERFACE IMPORTED)
        target_link_libraries(hdb::${name} INTERFACE ${target})
        return()
      endif()
    endforeach()
  endforeach()

  string(TOUPPER HDB_${name} prefix)
  if(arg_MODULE)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
      pkg_get_variable(include_folder ${arg_MODULE} includedir)
      pkg_get_variable(library_folder ${arg_MODULE} libdir)
    endif()
  endif()
  find_path(${prefix}_INCLUDE_DIR ${arg_HEADER} HINTS ${include_folder})
  mark_as_advanced(${prefix}_INCLUDE_DIR)
  if(arg_LIBRARY)
    find_library(${prefix}_LIBRARY ${arg_LIBRARY} HINTS ${library_folder})
    mark_as_advanced(${prefix}_LIBRARY)
  endif()
  if(NOT ${prefix}_INCLUDE_DIR OR (arg_LIBRARY AND NOT ${prefix}_LIBRARY))
    set(hdb_missing_dependencies ${hdb_missing_dependencies} ${name} PARENT_SCOPE)
    return()
  endif()
  add_library(hdb::${name} INTERFACE IMPORTED)
  target_include_directories(hdb::${name} INTERFACE ${${prefix}_INCLUDE_DIR})
  if(arg_LIBRARY)
    target_link_libraries(hdb::${name} INTERFACE ${${prefix}_LIBRARY})
  endif()
endfunction()

set(hdb_missing_dependencies "")
find_package(Threads QUIET)
if(NOT TARGET Threads::Threads)
  list(APPEND hdb_missing_dependencies threads)
endif()
hdb_find_dependency(expected PACKAGE tl-expected HEADER tl/expected.hpp TARGETS tl::expected)
hdb_find_dependency(cereal PACKAGE cereal HEADER cereal/cereal.hpp TARGETS cereal::cereal cereal)
if(HDB_BUNDLED AND NOT TARGET hdb::zstd)  # an installed hdb, which has them inside
  add_library(hdb::zstd INTERFACE IMPORTED)
  add_library(hdb::xxhash INTERFACE IMPORTED)
endif()
hdb_find_dependency(zstd PACKAGE zstd HEADER zstd.h LIBRARY zstd MODULE libzstd
  TARGETS zstd::libzstd zstd::libzstd_shared zstd::libzstd_static
          libzstd libzstd_shared libzstd_static)
hdb_find_dependency(xxhash PACKAGE xxHash HEADER xxhash.h LIBRARY xxhash MODULE libxxhash
  TARGETS xxHash::xxhash xxhash)
if(hdb_missing_dependencies)
  list(JOIN hdb_missing_dependencies ", " hdb_missing_text)
  string(CONCAT hdb_missing_text "hdb does not find: ${hdb_missing_text}. "
    "Install the packages (Debian: libexpected-dev, libcereal-dev, libzstd-dev, libxxhash-dev), "
    "or add their targets to the project before hdb.")
endif()
