# The vcpkg port of hdb, an overlay port: it builds the tree that it lies in.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)

set(extras entt imgui)
foreach(extra IN ITEMS archive postgres c)
  if(extra IN_LIST FEATURES)
    list(APPEND extras ${extra})
  endif()
endforeach()
set(tools OFF)
if("tools" IN_LIST FEATURES)
  set(tools ON)
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    "-DHDB_EXTRAS=${extras}"
    -DHDB_BUILD_TESTS=OFF
    -DHDB_BUILD_BENCHMARKS=OFF
    -DHDB_INSTALL=ON
  OPTIONS_RELEASE
    -DHDB_BUILD_TOOLS=${tools}
  OPTIONS_DEBUG
    -DHDB_BUILD_TOOLS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME hdb CONFIG_PATH lib/cmake/hdb)
vcpkg_fixup_pkgconfig()
if(tools)
  vcpkg_copy_tools(TOOL_NAMES hdbinspect AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
