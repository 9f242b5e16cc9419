# Included before the project (CMAKE_PROJECT_TOP_LEVEL_INCLUDES): stops at find_package of a library
# that the project brings.
macro(vendoring_find_package method package)
  if("${package}" MATCHES "^(tl-expected|cereal|zstd|xxHash|PkgConfig)$")
    message(FATAL_ERROR "find_package(${package}), although the project has that target")
  endif()
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER vendoring_find_package SUPPORTED_METHODS FIND_PACKAGE)
