# The target hdb_docs: the documentation site in HDB_SITE_DIR, of the Markdown files, the public
# headers and the manual pages (tools/docs). Warnings of Doxygen and links that lead nowhere are
# errors. tools/docs.sh builds it.
function(hdb_add_docs)
  find_program(HDB_DOXYGEN doxygen)
  find_program(HDB_MANDOC mandoc)
  mark_as_advanced(HDB_DOXYGEN HDB_MANDOC)
  if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
    set(Python3_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python3 COMPONENTS Interpreter)
  set(modules 1)
  if(Python3_Interpreter_FOUND)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import markdown_it, pygments"
      RESULT_VARIABLE modules OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT HDB_DOXYGEN OR NOT HDB_MANDOC OR NOT modules EQUAL 0)
    message(STATUS "The documentation site is left out: it needs doxygen, mandoc and the Python "
      "modules markdown_it and pygments (tools/setup.sh --docs installs them)")
    return()
  endif()
  set(HDB_SITE_DIR ${PROJECT_BINARY_DIR}/site CACHE PATH "Where hdb_docs puts the site")
  set(docs ${PROJECT_SOURCE_DIR}/tools/docs)
  configure_file(${PROJECT_SOURCE_DIR}/lib/docs/reference/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile
    @ONLY)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/lib/*.md ${PROJECT_SOURCE_DIR}/schema/*.md ${PROJECT_SOURCE_DIR}/lib/*.hpp
    ${PROJECT_SOURCE_DIR}/schema/*.hpp ${PROJECT_SOURCE_DIR}/lib/docs/*.png ${docs}/*
    ${PROJECT_SOURCE_DIR}/tools/examples/*.md ${PROJECT_SOURCE_DIR}/tools/examples/*.c
    ${PROJECT_SOURCE_DIR}/tools/examples/*.cpp ${PROJECT_SOURCE_DIR}/tools/examples/*.py)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.md ${PROJECT_SOURCE_DIR}/tests/*.md
    ${PROJECT_SOURCE_DIR}/tools/python/*.md)
  set(manuals none)
  set(commands "")
  if(TARGET hdbinspect_texts)
    set(manuals ${PROJECT_BINARY_DIR}/tools/hdbinspect/man/man1)
    set(commands hdbinspect hdbinspect_texts)
  endif()
  add_custom_command(OUTPUT ${HDB_SITE_DIR}/index.html
    COMMAND ${HDB_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
    COMMAND Python3::Interpreter -B ${docs}/site.py ${PROJECT_SOURCE_DIR}
      ${PROJECT_BINARY_DIR}/reference/xml ${manuals} ${HDB_SITE_DIR}
    DEPENDS ${sources} ${pages} ${commands} ${PROJECT_BINARY_DIR}/Doxyfile VERBATIM
    COMMENT "The documentation begins at ${HDB_SITE_DIR}/index.html")
  set(all "")
  if(HDB_BUILD_TESTS)  # which look at it
    set(all ALL)
  endif()
  add_custom_target(hdb_docs ${all} DEPENDS ${HDB_SITE_DIR}/index.html)
endfunction()
hdb_add_docs()
