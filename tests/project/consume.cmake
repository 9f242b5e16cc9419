# Script: installs hdb, checks that no header was forgotten, and builds and runs
# tests/project/consumer: with find_package, without pkg-config, and with pkg-config, without CMake;
# also examples, as the project that they are.
# WORK_DIR may hold spaces.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
set(ENV{LD_LIBRARY_PATH} ${WORK_DIR}/prefix/lib)  # for shared libraries that need each other

set(headers 0)
file(GLOB extras RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/lib/extras/*/include)
foreach(folder IN ITEMS lib/include schema/include ${extras})
  file(GLOB_RECURSE public RELATIVE ${SOURCE_DIR}/${folder} ${SOURCE_DIR}/${folder}/hdb/*)
  foreach(header IN LISTS public)
    if(NOT EXISTS ${WORK_DIR}/prefix/include/${header})
      message(FATAL_ERROR "not installed: ${header}")
    endif()
    math(EXPR headers "${headers} + 1")
  endforeach()
endforeach()

foreach(description IN ITEMS hdb/hdb.magic hdb/hdb.ksy hdb/hdb.hexpat mime/packages/hdb.xml
    hdb/hdb.natvis hdb/debuggers/hdb_gdb.py hdb/debuggers/hdb_lldb.py hdb/debuggers/hdb_reader.py
    hdb/debuggers/hdb_values.py)
  if(NOT EXISTS ${WORK_DIR}/prefix/share/${description})
    message(FATAL_ERROR "not installed: ${description}")
  endif()
endforeach()

set(configure ${CMAKE_COMMAND} -G Ninja -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix
  -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
  -DCMAKE_CXX_FLAGS=${CXX_FLAGS} -DCMAKE_BUILD_TYPE=Debug)
run(${configure} -S ${SOURCE_DIR}/tests/project/consumer -B ${WORK_DIR}/build
  -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=TRUE)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer ${WORK_DIR}/slot1.hdb)
message("${last_output}")
run(${WORK_DIR}/build/editor ${WORK_DIR}/slot1.hdb)
if(NOT last_output MATCHES "editor: monsters has 2 of 3 slots live")
  message(FATAL_ERROR "a program with hdb::inspect alone printed: ${last_output}")
endif()

# The examples are a project of their own.
set(examples first_save)
if(EXISTS ${WORK_DIR}/prefix/lib/cmake/hdb/hdbCTargets.cmake)
  list(APPEND examples any_save)
endif()
run(${configure} -S ${SOURCE_DIR}/tools/examples -B ${WORK_DIR}/examples)
foreach(example IN LISTS examples)
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/examples --target hdb_example_${example})
  run(${WORK_DIR}/examples/${example} ${WORK_DIR}/saves_of_${example})
  file(READ ${SOURCE_DIR}/tests/examples/expected/${example}.txt expected)
  if(NOT last_output STREQUAL expected)
    message(FATAL_ERROR "${example}, built alone, printed: ${last_output}")
  endif()
endforeach()

# In C, without the C++ libraries: with CMake, and with pkg-config alone.
if(EXISTS ${WORK_DIR}/prefix/lib/cmake/hdb/hdbCTargets.cmake)
  run(${CMAKE_COMMAND} -G Ninja -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix -DCMAKE_BUILD_TYPE=Debug
    -S ${SOURCE_DIR}/tests/project/c_consumer -B ${WORK_DIR}/c_build
    -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=TRUE)
  run(${CMAKE_COMMAND} --build ${WORK_DIR}/c_build)
  run(${WORK_DIR}/c_build/c_consumer ${WORK_DIR}/slot1.hdb)
  message("${last_output}")
  find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
  set(ENV{PKG_CONFIG_PATH} ${WORK_DIR}/prefix/lib/pkgconfig)
  run(${pkg_config} --cflags --libs hdb_c)
  separate_arguments(c_flags UNIX_COMMAND "${last_output}")
  run(cc -std=c11 ${SOURCE_DIR}/tests/project/c_consumer/main.c -o ${WORK_DIR}/c_by_pkg_config
    ${c_flags})
  run(${WORK_DIR}/c_by_pkg_config ${WORK_DIR}/slot1.hdb)
  message("pkg-config hdb_c: ${last_output}")
endif()

# The project's targets for the dependencies have priority over packages.
run(${configure} -S ${SOURCE_DIR}/tests/project/vendoring
    -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=${SOURCE_DIR}/tests/project/vendoring/no_packages.cmake
    -B ${WORK_DIR}/vendoring
  -DZSTD_TARGET=libzstd_static -DCMAKE_EXPORT_COMPILE_COMMANDS=TRUE)
file(READ ${WORK_DIR}/vendoring/compile_commands.json commands)
run(${CMAKE_COMMAND} -E chdir ${WORK_DIR}/vendoring ninja -t query consumer)
set(parts FROM_VENDORED_CEREAL FROM_VENDORED_EXPECTED)
if(NOT EXISTS ${WORK_DIR}/prefix/lib/libhdb.so)  # which has found its own
  list(APPEND parts libvendored_zstd.a libvendored_xxhash.a)
endif()
foreach(part IN LISTS parts)
  if(NOT "${commands}${last_output}" MATCHES ${part})
    message(FATAL_ERROR "find_package(hdb) does not use the project's target: ${part} is missing")
  endif()
endforeach()

# The message names what is missing.
find_program(ninja ninja REQUIRED)
execute_process(COMMAND ${configure} -S ${SOURCE_DIR}/tests/project/consumer -B ${WORK_DIR}/nothing
    -DCMAKE_MAKE_PROGRAM=${ninja}
    -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=FALSE -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=FALSE
    -DCMAKE_FIND_USE_SYSTEM_PACKAGE_REGISTRY=FALSE -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=TRUE
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE complaint)
string(REGEX REPLACE "[ \n]+" " " complaint "${complaint}")
if(status EQUAL 0 OR NOT complaint MATCHES "hdb does not find: expected, cereal, zstd, xxhash")
  message(FATAL_ERROR "without its libraries, find_package(hdb) said (${status}): ${complaint}")
endif()

find_program(pkg_config NAMES pkg-config pkgconf REQUIRED)
file(GLOB_RECURSE pc ${WORK_DIR}/prefix/hdb.pc)
cmake_path(GET pc PARENT_PATH pc_folder)
set(ENV{PKG_CONFIG_PATH} ${pc_folder})
separate_arguments(flags UNIX_COMMAND "${CXX_FLAGS}")
run(${pkg_config} --cflags hdb)
separate_arguments(hdb_flags UNIX_COMMAND "${last_output}")
run(${CXX_COMPILER} -std=c++20 ${flags} ${hdb_flags} -c
  ${SOURCE_DIR}/tests/project/consumer/main.cpp
  -o ${WORK_DIR}/main.o)
foreach(linking IN ITEMS "" --static)
  run(${pkg_config} ${linking} --libs hdb)
  separate_arguments(hdb_libraries UNIX_COMMAND "${last_output}")
  run(${CXX_COMPILER} ${flags} ${WORK_DIR}/main.o -o ${WORK_DIR}/by_pkg_config ${hdb_libraries})
  run(${WORK_DIR}/by_pkg_config ${WORK_DIR}/slot2.hdb)
  message("pkg-config ${linking}: ${last_output}")
endforeach()

# Each library has a file for pkg-config; archives need libraries of their own.
file(GLOB modules RELATIVE ${pc_folder} ${pc_folder}/*.pc)
foreach(module IN LISTS modules)
  cmake_path(REMOVE_EXTENSION module OUTPUT_VARIABLE name)
  run(${pkg_config} --cflags --libs --static ${name})
endforeach()
if(EXISTS ${pc_folder}/hdb_archive.pc)
  # Not with --static: Debian's libpq names libraries that it does not have.
  run(${pkg_config} --cflags --libs hdb_archive)
  separate_arguments(archive_flags UNIX_COMMAND "${last_output}")
  run(${CXX_COMPILER} -std=c++20 ${flags} ${SOURCE_DIR}/tests/project/consumer/archive.cpp
    -o ${WORK_DIR}/archive_by_pkg_config ${archive_flags})
  run(${WORK_DIR}/archive_by_pkg_config ${WORK_DIR}/saves.hdba)
  if(NOT last_output MATCHES "archive: 0 saves")
    message(FATAL_ERROR "a program with hdb_archive printed: ${last_output}")
  endif()
endif()

if(EXISTS ${WORK_DIR}/prefix/bin/hdbinspect)
  run(${WORK_DIR}/prefix/bin/hdbinspect validate ${WORK_DIR}/slot1.hdb)
  message("${last_output}")
  foreach(text IN ITEMS share/man/man1/hdbinspect.1 share/man/man1/hdbinspect-diff.1
      share/man/man7/hdbinspect-filters.7 share/bash-completion/completions/hdbinspect
      share/zsh/site-functions/_hdbinspect share/fish/vendor_completions.d/hdbinspect.fish)
    if(NOT EXISTS ${WORK_DIR}/prefix/${text})
      message(FATAL_ERROR "not installed: ${text}")
    endif()
  endforeach()
endif()

# The consumer checks its schemas: check(STATUS TEXT OPTION...) configures it as another version of
# the game, builds it, and looks for the text in the output.
function(check wanted text)
  run(${configure} -S ${SOURCE_DIR}/tests/project/consumer -B ${WORK_DIR}/build
    -DSCHEMA_FILE=${WORK_DIR}/saves.json ${ARGN})
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status EQUAL 0)
    set(status passes)
  else()
    set(status fails)
  endif()
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${text}" at)
  if(NOT status STREQUAL wanted OR at EQUAL -1)
    message(FATAL_ERROR "hdb_check_schema: the build ${status} without \"${text}\": ${output}")
  endif()
endfunction()
if(EXISTS ${WORK_DIR}/prefix/bin/hdbinspect)
  set(accept --build ${WORK_DIR}/build --target accept_schema_consumer_saves)
  check(fails "saves.json does not exist. Write it with the present schemas" -DWITH_MOOD=ON)
  run(${CMAKE_COMMAND} ${accept})
  check(passes "")
  check(passes "" -DHP_TYPE=std::int64_t)
  check(fails "monsters.hp: incompatible: number_narrowed: i32 -> i16" -DHP_TYPE=std::int16_t)
  check(fails "cmake --build \"${WORK_DIR}/build\" --target accept_schema_consumer_saves")
  check(fails "monsters.mood: readable with loss: field_removed" -DWITH_MOOD=OFF -DHP_TYPE=)
  check(passes "" -DSCHEMA_OPTIONS=ALLOW_LOSS)
  check(fails "hdb_check_schema(... ALLOW_LOSS) accepts dropped values" -DSCHEMA_OPTIONS=)
  run(${CMAKE_COMMAND} ${accept})
  check(passes "")
  file(READ ${WORK_DIR}/saves.json schemas)
  string(REPLACE "\"i32\"" "\"string\",\"utf8\":false" schemas "${schemas}")
  file(WRITE ${WORK_DIR}/saves.json "${schemas}")  # the build notices another FILE
  check(fails "monsters.hp: incompatible: kind_changed: the file holds string")
  file(WRITE ${WORK_DIR}/saves.json "{")
  check(fails "The schemas cannot be compared.")
endif()
message("${headers} headers installed")
