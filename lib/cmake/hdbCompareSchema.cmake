# Script of hdb_check_schema: cmake -DNAME=VALUE... -P hdbCompareSchema.cmake -- PROGRAM ARGUMENT...
# Exports the schemas of PROGRAM to PRESENT. With STAMP, compares FILE with them and makes STAMP;
# without, replaces FILE.
cmake_minimum_required(VERSION 3.25)

set(command "")
set(is_command FALSE)
set(output OUTPUT_FILE ${PRESENT})
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(is_command AND CMAKE_ARGV${i} STREQUAL "SCHEMA_FILE")
    list(APPEND command ${PRESENT})
    set(output OUTPUT_QUIET)
  elseif(is_command)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(is_command TRUE)
  endif()
endforeach()

file(REMOVE ${PRESENT})
execute_process(COMMAND ${command} RESULT_VARIABLE status ${output} ERROR_VARIABLE complaint)
list(JOIN command " " command)
if(NOT status EQUAL 0)
  message("${complaint}")
  message(FATAL_ERROR "${command} failed (${status}). It must print Database::schema_json().")
endif()

set(accept "    cmake --build \"${BUILD_DIR}\" --target ${ACCEPT}")
if(NOT STAMP)
  # Reading it shows that it is a document.
  execute_process(COMMAND ${INSPECT} compat ${PRESENT} ${PRESENT} RESULT_VARIABLE status
    OUTPUT_QUIET ERROR_VARIABLE complaint)
  if(NOT status EQUAL 0)
    message("${complaint}")
    message(FATAL_ERROR "${command} did not print Database::schema_json(); ${FILE} is unchanged.")
  endif()
  file(COPY_FILE ${PRESENT} ${FILE} ONLY_IF_DIFFERENT)
  message("${FILE} has the present schemas. Commit it.")
  return()
endif()

if(NOT EXISTS ${FILE})
  message(FATAL_ERROR "${FILE} does not exist. Write it with the present schemas and commit it:\n"
    "${accept}")
endif()
set(options "")
if(ALLOW_LOSS)
  set(options --allow-loss)
endif()
execute_process(COMMAND ${INSPECT} compat ${options} ${FILE} ${PRESENT} RESULT_VARIABLE status
  OUTPUT_VARIABLE report ERROR_VARIABLE report)
if(status EQUAL 1)
  set(advice "Change the tables as the lines above say")
  if(NOT ALLOW_LOSS)
    string(APPEND advice " (hdb_check_schema(... ALLOW_LOSS) accepts dropped values)")
  endif()
  message("${report}")
  message(FATAL_ERROR "A change breaks saves with the schemas of\n    ${FILE}\n${advice}.\n"
    "If these saves need not load any more, accept the new schemas and commit the file:\n"
    "${accept}")
elseif(NOT status EQUAL 0)
  message("${report}")
  message(FATAL_ERROR "The schemas cannot be compared. If the file is damaged, write it again:\n"
    "${accept}")
endif()
string(REGEX REPLACE "([ #\\])" "\\\\\\1" target "${STAMP}")
string(REGEX REPLACE "([ #\\])" "\\\\\\1" source "${FILE}")
file(WRITE ${PRESENT}.d "${target}: ${source}\n")
file(TOUCH ${STAMP})
