# `cmake --install`: library, headers, and what find_package(hdb) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(hdb_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hdb)

install(TARGETS hdb EXPORT hdbTargets FILE_SET HEADERS)
install(EXPORT hdbTargets NAMESPACE hdb:: DESTINATION ${hdb_package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/lib/cmake/hdbConfig.cmake.in
  ${PROJECT_BINARY_DIR}/hdbConfig.cmake INSTALL_DESTINATION ${hdb_package_dir})
# Until 1.0 a new minor version may change the API and the file format.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hdbConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hdbConfig.cmake ${PROJECT_BINARY_DIR}/hdbConfigVersion.cmake
  DESTINATION ${hdb_package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/licenses/hdb)
