# hdb_check_schema: lets the build of a game fail when a change breaks its old saves.
#
# hdb_check_schema(TARGET FILE [ALLOW_LOSS] [ARGUMENTS argument...])
#   TARGET      an executable that prints Database::schema_json() to standard output. If one of
#               its arguments is SCHEMA_FILE, it gets the name of a file there and writes to it.
#   FILE        the document of schemas that the game commits, for example of its last release.
#   ALLOW_LOSS  old saves must load, but values may be dropped.
#   ARGUMENTS   the arguments of the executable.
#
# The build runs the executable and compares: a program that does not load saves with the schemas of
# FILE is an error, which names table, field and rule. Two targets are made, called after TARGET and
# the name of FILE: check_schema_TARGET_NAME is part of `all`; accept_schema_TARGET_NAME replaces
# FILE with the present schemas. FILE stays as it is until then: for several releases, commit one
# file for each and call the function for each.
cmake_policy(PUSH)
cmake_policy(VERSION 3.25)  # the paths of the depfile, whatever the version of the project
function(hdb_check_schema target file)
  cmake_parse_arguments(PARSE_ARGV 2 arg "ALLOW_LOSS" "" "ARGUMENTS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hdb_check_schema does not know: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(TARGET hdbinspect)
    set(inspect $<TARGET_FILE:hdbinspect>)
  else()
    find_program(HDB_HDBINSPECT hdbinspect HINTS ${hdb_program_folder})
    mark_as_advanced(HDB_HDBINSPECT)
    set(inspect ${HDB_HDBINSPECT})
    if(NOT inspect)
      message(FATAL_ERROR "hdb_check_schema does not find hdbinspect. Install hdb with "
        "HDB_BUILD_TOOLS=ON, or set HDB_HDBINSPECT to the path of the program.")
    endif()
  endif()

  cmake_path(ABSOLUTE_PATH file NORMALIZE)
  cmake_path(GET file STEM LAST_ONLY name)
  string(MAKE_C_IDENTIFIER "${target}_${name}" name)
  set(present ${CMAKE_CURRENT_BINARY_DIR}/schema_${name}.json)
  set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/hdbCompareSchema.cmake)
  set(options -DFILE=${file} -DPRESENT=${present} -DALLOW_LOSS=${arg_ALLOW_LOSS}
    -DINSPECT=${inspect} -DBUILD_DIR=${CMAKE_BINARY_DIR} -DACCEPT=accept_schema_${name})
  set(program -P ${script} -- $<TARGET_FILE:${target}> ${arg_ARGUMENTS})
  # The script writes the depfile, so FILE need not exist yet.
  add_custom_command(OUTPUT ${present}.checked
    COMMAND ${CMAKE_COMMAND} ${options} -DSTAMP=${present}.checked ${program}
    DEPENDS ${target} ${script} $<$<BOOL:$<TARGET_EXISTS:hdbinspect>>:hdbinspect>
    DEPFILE ${present}.d COMMENT "Checking that ${target} loads saves of ${name}" VERBATIM)
  add_custom_target(check_schema_${name} ALL DEPENDS ${present}.checked)
  add_custom_target(accept_schema_${name}
    COMMAND ${CMAKE_COMMAND} ${options} ${program}
    DEPENDS ${target} COMMENT "Replacing ${file}" VERBATIM)
endfunction()
cmake_policy(POP)
