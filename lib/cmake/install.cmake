# `cmake --install`: library, headers, and the files for find_package(hdb) and pkg-config.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(hdb_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hdb)

set(hdb_libraries hdb hdb_inspect)
foreach(extra IN ITEMS archive entt)
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

# hdb.pc names its folders relative to itself, so `cmake --install --prefix` and moved trees work.
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
# A static hdb can be linked only with its libraries, so hdb.pc names them with and without
# --static. A shared hdb knows its libraries. A library without a pkg-config module is named by its
# file.
find_package(PkgConfig QUIET)
set(hdb_pc_modules "")
set(hdb_pc_needed -pthread)
set(hdb_pc_libraries zstd xxhash)
if(HDB_BUNDLED)
  set(hdb_pc_libraries "")
endif()
foreach(library IN LISTS hdb_pc_libraries)
  set(unknown TRUE)
  if(PkgConfig_FOUND)
    execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --exists lib${library} RESULT_VARIABLE unknown)
  endif()
  if(unknown)
    string(APPEND hdb_pc_needed " -l${library}")
  else()
    string(APPEND hdb_pc_modules " lib${library}")
  endif()
endforeach()
get_target_property(hdb_type hdb TYPE)
if(hdb_type STREQUAL STATIC_LIBRARY)
  set(hdb_pc_libs ${hdb_pc_needed})
else()
  set(hdb_pc_private .private)
  set(hdb_pc_libs_private ${hdb_pc_needed})
endif()
if(HDB_ASSERTS)
  set(hdb_pc_definitions " -DHDB_ENABLE_ASSERTS=1")
endif()
foreach(module IN ITEMS hdb hdb_c)
  if(TARGET ${module})
    configure_file(${PROJECT_SOURCE_DIR}/lib/cmake/${module}.pc.in
      ${PROJECT_BINARY_DIR}/${module}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${module}.pc DESTINATION ${hdb_pc_dir})
  endif()
endforeach()
