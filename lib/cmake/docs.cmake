# The target hdb_docs: the API reference of the public headers, by Doxygen; a warning is an error.
find_program(HDB_DOXYGEN doxygen)
mark_as_advanced(HDB_DOXYGEN)
if(HDB_DOXYGEN)
  configure_file(${PROJECT_SOURCE_DIR}/lib/docs/reference/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile
    @ONLY)
  add_custom_target(hdb_docs COMMAND ${HDB_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
    COMMENT "The reference begins at ${PROJECT_BINARY_DIR}/reference/html/index.html" VERBATIM)
endif()
