# Finds Dear ImGui for the tests, the samples and the benchmark of hdb/imgui.hpp. The library itself
# does not need it. Sets ImGui_FOUND and, where it is found, makes the target imgui::imgui: from its
# CMake package (vcpkg), or from the header and library of Debian (libimgui-dev).
set(ImGui_FOUND FALSE)
if(CMAKE_CROSSCOMPILING)  # that of the machine that compiles is of no use
  return()
endif()
if(NOT TARGET imgui::imgui)
  find_package(imgui CONFIG QUIET)
endif()
if(TARGET imgui::imgui)
  set(ImGui_FOUND TRUE)
  return()
endif()
find_path(HDB_IMGUI_INCLUDE_DIR imgui.h HINTS ${CMAKE_PREFIX_PATH} PATH_SUFFIXES imgui)
find_library(HDB_IMGUI_LIBRARY imgui)
find_library(HDB_STB_LIBRARY stb)  # its fonts; Debian has them in a library of their own
mark_as_advanced(HDB_IMGUI_INCLUDE_DIR HDB_IMGUI_LIBRARY HDB_STB_LIBRARY)
if(NOT HDB_IMGUI_INCLUDE_DIR OR NOT HDB_IMGUI_LIBRARY)
  message(STATUS "Dear ImGui was not found (libimgui-dev): the tests, the samples and the "
    "benchmark of hdb/imgui.hpp are left out")
  return()
endif()
set(ImGui_FOUND TRUE)
add_library(imgui::imgui UNKNOWN IMPORTED GLOBAL)
set_target_properties(imgui::imgui PROPERTIES IMPORTED_LOCATION ${HDB_IMGUI_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${HDB_IMGUI_INCLUDE_DIR})
if(HDB_STB_LIBRARY)
  target_link_libraries(imgui::imgui INTERFACE ${HDB_STB_LIBRARY})
endif()
