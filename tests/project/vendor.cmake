# Script: hdb in a project that has hdb's dependencies as targets of its own, under each name that
# they have had; every file of hdb must be compiled with them. Builds the files that include them:
# one of each.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
set(cases 0)
foreach(zstd IN ITEMS zstd::libzstd zstd::libzstd_shared zstd::libzstd_static libzstd_static)
  string(REPLACE ":" "_" build "${WORK_DIR}/build with ${zstd}")
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR}/tests/project/vendoring
    -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=${SOURCE_DIR}/tests/project/vendoring/no_packages.cmake
    -B ${build}
    -DHDB_FROM=${SOURCE_DIR} -DZSTD_TARGET=${zstd} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DCMAKE_CXX_FLAGS=${CXX_FLAGS}
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_EXPORT_COMPILE_COMMANDS=TRUE
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=TRUE)
  file(READ ${build}/compile_commands.json commands)
  string(JSON count LENGTH ${commands})
  math(EXPR last "${count} - 1")
  set(seen 0)
  foreach(i RANGE ${last})
    string(JSON command GET ${commands} ${i} command)
    if(NOT command MATCHES "/lib/src/")
      continue()
    endif()
    set(needed CEREAL EXPECTED)
    if(command MATCHES "/lib/src/(base|files|format|inspect|evolve)/")  # hdb::inspect
      set(needed EXPECTED ZSTD XXHASH)
    endif()
    foreach(name IN LISTS needed)
      if(NOT command MATCHES "-DFROM_VENDORED_${name}")
        message(FATAL_ERROR "${zstd}: compiled without the project's ${name}: ${command}")
      endif()
    endforeach()
    math(EXPR seen "${seen} + 1")
  endforeach()
  if(seen LESS 50)
    message(FATAL_ERROR "${zstd}: only ${seen} files of hdb are compiled")
  endif()
  # The program is linked with what the project built.
  run(${CMAKE_COMMAND} -E chdir ${build} ninja -t query consumer)
  foreach(name IN ITEMS libvendored_zstd.a libvendored_xxhash.a)
    if(NOT last_output MATCHES ${name})
      message(FATAL_ERROR "${zstd}: consumer is linked without ${name}: ${last_output}")
    endif()
  endforeach()
  math(EXPR cases "${cases} + 1")
endforeach()
run(${CMAKE_COMMAND} -E chdir ${build} ninja hdb/lib/CMakeFiles/hdb_inspect.dir/src/base/hash.cpp.o
  hdb/lib/CMakeFiles/hdb_inspect.dir/src/format/columns/compress.cpp.o)

# The extras that are wanted, and no others.
foreach(extras IN ITEMS "" archive)
  run(${CMAKE_COMMAND} ${build} -DHDB_EXTRAS=${extras})
  file(READ ${build}/compile_commands.json commands)
  string(REGEX MATCHALL "/lib/extras/[a-z]+/[a-z_]+[.]cpp\"" compiled "${commands}")
  list(FILTER compiled EXCLUDE REGEX "/no_postgres[.]cpp")
  set(others ${compiled})
  list(FILTER others EXCLUDE REGEX "/lib/extras/${extras}/")
  if(others OR (extras AND NOT compiled))
    message(FATAL_ERROR "HDB_EXTRAS=${extras} compiles ${compiled}")
  endif()
  math(EXPR cases "${cases} + 1")
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} ${build} -DHDB_EXTRAS=nonsense
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE complaint)
if(status EQUAL 0 OR NOT complaint MATCHES "HDB_EXTRAS: hdb has no extra 'nonsense'")
  message(FATAL_ERROR "HDB_EXTRAS=nonsense said (${status}): ${complaint}")
endif()
message("vendored: cases=${cases} failures=0")
