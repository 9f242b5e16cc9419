# Finds EnTT for the tests, the sample game and the benchmark of hdb/entt.hpp. The library itself
# does not need it. Sets EnTT_FOUND and, where EnTT is found, makes the target EnTT::EnTT: from its
# CMake package, or from the header entt/entt.hpp on CMAKE_PREFIX_PATH.
if(TARGET EnTT::EnTT)
  set(EnTT_FOUND TRUE)
  return()
endif()
find_package(EnTT CONFIG QUIET)
if(TARGET EnTT::EnTT)
  set_target_properties(EnTT::EnTT PROPERTIES IMPORTED_GLOBAL TRUE)
  set(EnTT_FOUND TRUE)
  return()
endif()
find_path(HDB_ENTT_INCLUDE_DIR entt/entt.hpp HINTS ${CMAKE_PREFIX_PATH}
  PATH_SUFFIXES include src single_include)
mark_as_advanced(HDB_ENTT_INCLUDE_DIR)
set(EnTT_FOUND FALSE)
if(NOT HDB_ENTT_INCLUDE_DIR)
  message(STATUS "EnTT was not found (CMAKE_PREFIX_PATH): the tests, the sample game and the "
    "benchmark of hdb/entt.hpp are left out")
else()
  set(EnTT_FOUND TRUE)
  add_library(EnTT::EnTT INTERFACE IMPORTED GLOBAL)
  target_include_directories(EnTT::EnTT INTERFACE ${HDB_ENTT_INCLUDE_DIR})
endif()
