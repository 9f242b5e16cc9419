# `cmake --install`: library, headers, and the files for find_package(hdb) and pkg-config.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(hdb_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hdb)

set(hdb_libraries hdb hdb_inspect)
foreach(extra IN ITEMS archive entt imgui)
  if(TARGET hdb_${extra})
    list(APPEND hdb_libraries hdb_${extra})
  endif()
endforeach()
install(TARGETS ${hdb_libraries} EXPORT hdbTargets FILE_SET HEADERS)
install(EXPORT hdbTargets NAMESPACE hdb:: DESTINATION ${hdb_package_dir})
if(TARGET hdb_c)  # in a list of its own: programs with hdb::c alone need no C++ libraries
  install(TARGETS hdb_c EXPORT hdbCTargets FILE_SET HEADERS)
  install(EXPORT hdbCTargets NAMESPACE hdb:: DESTINATION ${hdb_package_dir})
endif()
# A static hdb_archive leaves libpq and SQLite to the program that links it.
set(hdb_archive_needs_libpq FALSE)
set(hdb_archive_needs_sqlite FALSE)
if(TARGET hdb_archive AND TARGET SQLite::SQLite3)
  set(hdb_archive_needs_sqlite TRUE)
endif()
if(TARGET hdb_archive AND TARGET PostgreSQL::PostgreSQL)
  set(hdb_archive_needs_libpq TRUE)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/lib/cmake/hdbConfig.cmake.in
  ${PROJECT_BINARY_DIR}/hdbConfig.cmake INSTALL_DESTINATION ${hdb_package_dir}
  PATH_VARS CMAKE_INSTALL_BINDIR)
# Until 1.0 a new minor version may change the API and the file format.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hdbConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hdbConfig.cmake ${PROJECT_BINARY_DIR}/hdbConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/lib/cmake/hdbDependencies.cmake
  ${PROJECT_SOURCE_DIR}/lib/cmake/hdbCheckSchema.cmake
  ${PROJECT_SOURCE_DIR}/lib/cmake/hdbCompareSchema.cmake DESTINATION ${hdb_package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/hdb)
# Descriptions of the format for other tools. Desktops look for media types in share/mime.
install(FILES ${PROJECT_SOURCE_DIR}/schema/hdb.magic ${PROJECT_SOURCE_DIR}/schema/hdb.ksy
  ${PROJECT_SOURCE_DIR}/schema/hdb.hexpat DESTINATION ${CMAKE_INSTALL_DATADIR}/hdb)
install(FILES ${PROJECT_SOURCE_DIR}/schema/hdb.mime.xml RENAME hdb.xml
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)

# For debuggers. gdb looks for the script of a shared library by the path of the library; programs
# with a static hdb name the printers themselves (lib/docs/guide/22-debuggers.md).
set(hdb_debuggers_dir ${CMAKE_INSTALL_DATADIR}/hdb/debuggers)
install(FILES ${PROJECT_SOURCE_DIR}/lib/debuggers/hdb_gdb.py
  ${PROJECT_SOURCE_DIR}/lib/debuggers/hdb_lldb.py
  ${PROJECT_SOURCE_DIR}/lib/debuggers/hdb_reader.py
  ${PROJECT_SOURCE_DIR}/lib/debuggers/hdb_values.py DESTINATION ${hdb_debuggers_dir})
install(FILES ${PROJECT_SOURCE_DIR}/lib/debuggers/hdb.natvis
  DESTINATION ${CMAKE_INSTALL_DATADIR}/hdb)
get_target_property(hdb_type hdb TYPE)
if(hdb_type STREQUAL SHARED_LIBRARY AND NOT WIN32)
  set(hdb_autoload_dir
    ${CMAKE_INSTALL_DATADIR}/gdb/auto-load${CMAKE_INSTALL_FULL_LIBDIR})
  file(RELATIVE_PATH hdb_printers_dir /prefix/${hdb_autoload_dir} /prefix/${hdb_debuggers_dir})
  configure_file(${PROJECT_SOURCE_DIR}/lib/debuggers/autoload.py.in
    ${PROJECT_BINARY_DIR}/hdb-gdb.py @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/hdb-gdb.py DESTINATION ${hdb_autoload_dir}
    RENAME $<TARGET_FILE_NAME:hdb>-gdb.py)
endif()

# A file for pkg-config for each library. It names its folders relative to itself, so
# `cmake --install --prefix` and moved trees work.
set(hdb_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(hdb_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH hdb_pc_up /prefix/${hdb_pc_dir} /prefix)
  string(REGEX REPLACE "/$" "" hdb_pc_up ${hdb_pc_up})
  set(hdb_pc_prefix "\${pcfiledir}/${hdb_pc_up}")
endif()
foreach(folder IN ITEMS include lib)
  string(TOUPPER ${folder} upper)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${upper}DIR})
    set(hdb_pc_${folder}dir ${CMAKE_INSTALL_${upper}DIR})
  else()
    set(hdb_pc_${folder}dir "\${prefix}/${CMAKE_INSTALL_${upper}DIR}")
  endif()
endforeach()
find_package(PkgConfig QUIET)
if(HDB_ASSERTS)
  set(hdb_pc_definitions " -DHDB_ENABLE_ASSERTS=1")
endif()
if(hdb_type STREQUAL SHARED_LIBRARY)
  string(APPEND hdb_pc_definitions " -DHDB_SHARED")
endif()
# hdb_pc(MODULE WHAT LIBS REQUIRES [LIBRARY...]): the file of a module; LIBS are its own libraries,
# REQUIRES modules of hdb. A static library can be linked only with the other LIBRARIES that it
# needs, so they are named with and without --static; a shared one knows them, and programs with it
# need not have their headers. A library without a pkg-config module is named by its file: "lib/pq"
# is libpq or -lpq.
function(hdb_pc module what hdb_pc_libs hdb_pc_requires)
  if(NOT TARGET ${module})
    return()
  endif()
  set(description "${PROJECT_DESCRIPTION}${what}")
  if(hdb_type STREQUAL SHARED_LIBRARY)
    set(ARGN "")
  endif()
  foreach(library IN LISTS ARGN)
    string(REPLACE / "" name ${library})
    string(REGEX REPLACE "^lib/" "" file ${library})
    set(unknown TRUE)
    if(PkgConfig_FOUND)
      execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --exists ${name} RESULT_VARIABLE unknown)
    endif()
    if(unknown)
      string(APPEND hdb_pc_libs " -l${file}")
    else()
      string(APPEND hdb_pc_requires " ${name}")
    endif()
  endforeach()
  if(NOT module STREQUAL hdb_c)  # whose libraries are in it
    string(APPEND hdb_pc_libs " -pthread")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/lib/cmake/module.pc.in ${PROJECT_BINARY_DIR}/${module}.pc
    @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${hdb_pc_dir})
endfunction()
set(hdb_pc_needed lib/zstd lib/xxhash)
if(HDB_BUNDLED)
  set(hdb_pc_needed "")
endif()
set(hdb_pc_stores "")
if(hdb_archive_needs_sqlite)
  list(APPEND hdb_pc_stores sqlite3)
endif()
if(hdb_archive_needs_libpq)
  list(APPEND hdb_pc_stores lib/pq)
endif()
hdb_pc(hdb "" "-lhdb -lhdb_inspect" "" ${hdb_pc_needed})
hdb_pc(hdb_inspect ": files, without record types" -lhdb_inspect "" ${hdb_pc_needed})
hdb_pc(hdb_archive ": every save of many worlds" -lhdb_archive hdb ${hdb_pc_stores})
hdb_pc(hdb_entt ": saves of an EnTT registry" -lhdb_entt hdb)
hdb_pc(hdb_imgui ": a browser of a running database for Dear ImGui" -lhdb_imgui hdb)
hdb_pc(hdb_c ": the C interface" -lhdb_c "")
