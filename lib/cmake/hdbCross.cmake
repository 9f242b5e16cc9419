# A build for another processor or system (tools/test.sh --portability): header-only libraries and
# the sources of GoogleTest are those of this machine, and everything that has a library is compiled
# from its source. The folder of this machine's headers itself must not be searched.
set(headers ${PROJECT_BINARY_DIR}/headers)
set(CMAKE_DISABLE_FIND_PACKAGE_PostgreSQL TRUE)  # libpq is only here as a library of this machine
foreach(name IN ITEMS tl cereal CLI fmt rapidjson)
  find_path(HDB_HOST_${name} ${name} PATHS /usr/include NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(HDB_HOST_${name})
  if(NOT HDB_HOST_${name})
    message(FATAL_ERROR "/usr/include/${name} does not exist; run tools/setup.sh --portability")
  endif()
  file(MAKE_DIRECTORY ${headers}/${name})
  file(CREATE_LINK ${HDB_HOST_${name}}/${name} ${headers}/${name}/${name} SYMBOLIC)
endforeach()

# hdb_add_host_headers(TARGET FOLDER)
function(hdb_add_host_headers target folder)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${headers}/${folder})
endfunction()
hdb_add_host_headers(tl::expected tl)
hdb_add_host_headers(cereal::cereal cereal)
hdb_add_host_headers(CLI11::CLI11 CLI)
hdb_add_host_headers(fmt::fmt fmt)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
set(RapidJSON_INCLUDE_DIRS ${headers}/rapidjson)

# The libraries of the tests.
if(HDB_BUILD_TESTS)
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
  foreach(name IN ITEMS gtest gtest_main gmock)
    if(NOT TARGET GTest::${name})
      add_library(GTest::${name} ALIAS ${name})
    endif()
    set_target_properties(${name} PROPERTIES COMPILE_WARNING_AS_ERROR OFF UNITY_BUILD OFF)
  endforeach()
endif()
