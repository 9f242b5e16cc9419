# Takes style.css and script.js into the program: assets.cpp in the build folder.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/style.css ${CMAKE_CURRENT_LIST_DIR}/script.js)
file(READ ${CMAKE_CURRENT_LIST_DIR}/style.css HDB_PAGE_STYLE)
file(READ ${CMAKE_CURRENT_LIST_DIR}/script.js HDB_PAGE_SCRIPT)
configure_file(${CMAKE_CURRENT_LIST_DIR}/assets.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/report_assets.cpp
  @ONLY)
