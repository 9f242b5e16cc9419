# A build for another processor or system: what shows there that the library works. Each program is
# one test, run by the emulator. Target hdb_portability builds all of them.
add_custom_target(hdb_portability)
if(HDB_QUICK_TESTS)
  set(CMAKE_UNITY_BUILD ON)
  add_compile_options(-O0)
endif()

# Tests index small vectors by 64-bit random numbers. A library: so it comes after hdb_warnings.
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  add_library(hdb_narrow_tests INTERFACE)
  target_compile_options(hdb_narrow_tests INTERFACE -Wno-conversion)
  link_libraries(hdb_narrow_tests)
endif()

include(support/support.cmake)

# What takes minutes under an emulator and depends on no machine: damage of every byte.
set(HDB_NOT_EMULATED "Damage.*:Hostile.*:HostileLayout.*:Writer.*")
if(CMAKE_CXX_BYTE_ORDER STREQUAL BIG_ENDIAN)
  # Only little-endian machines copy fields of records as bytes ("plain" records, structs of the C
  # interface); big-endian ones use the code of all other records.
  string(APPEND HDB_NOT_EMULATED ":Plain.FixedFieldsOfATriviallyCopyableTypeArePlain"
    ":Evolution.CopiedColumnsGiveTheSameRecordsAsTheTypesOwnCode"
    ":Hostile.PlainColumnsAreCheckedToo"
    ":Loading.PlainRecordsOfAnotherVersionAreLoadedByTheirOwnCode"
    ":Rows.APlainRowIsItsFieldsInOrder:RuntimeRecords.AStructSaysWhatItsDefaultRecordIs"
    ":RuntimeRecords.PlacesOfAStructMayNotOverlapOrLeaveIt"
    ":Ways/Drift.StopsTheSaveNamingSlotGenerationAndField/5")
endif()

# As in the tests of this machine, but without the files that need RapidCheck, which there is only
# as a library of this machine, and those in HDB_NOT_PORTABLE.
function(hdb_add_test_program name)
  set(sources "")
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} uses_rapidcheck REGEX "#include <rapidcheck")
    if(NOT uses_rapidcheck AND NOT source IN_LIST HDB_NOT_PORTABLE)
      list(APPEND sources ${source})
    endif()
  endforeach()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE hdb_tests_records GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/lib/src)
  if(WIN32 OR EMSCRIPTEN OR HDB_IS_MUSL)  # Debian's cereal expects it among the system's headers
    target_include_directories(${name} SYSTEM PRIVATE ${RapidJSON_INCLUDE_DIRS})
    target_link_libraries(${name} PRIVATE hdb::zstd)
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1
    --gtest_filter=-${HDB_NOT_EMULATED})
  add_dependencies(hdb_portability ${name})
endfunction()

set(subjects base schema format record ages archive cli portability)
if(EMSCRIPTEN OR HDB_IS_MUSL)
  # With libc++ 13, clang 14 crashes on the tests of record, and from_chars reads no floating-point
  # numbers, with which this file compares.
  list(REMOVE_ITEM subjects record archive)
  set(HDB_NOT_PORTABLE text_test.cpp)
endif()
if(EMSCRIPTEN)
  list(APPEND subjects inspect core)
  # A program of WebAssembly can neither start another process nor, without pthreads, a thread.
  add_compile_definitions(EXPECT_DEATH=EXPECT_DEATH_IF_SUPPORTED)
  string(APPEND HDB_NOT_EMULATED ":*Thread*:*Async*:*DeathTest*:InterleavingTest.*"
    ":Determinism.AnyExecutorGivesTheSameBytes")
  # 32-bit programs reserve no addresses, so a table that grows moves its records.
  string(APPEND HDB_NOT_EMULATED ":FlatTable.AConstPointerOfAStableTable*"
    ":FlatTable.InsertsAndCapturesMoveNoRecord*:FlatTable.NamesStayWhereTheyAre*"
    ":FlatArray.ElementsOfReservedArraysStayWhereTheyAre"
    ":Addresses/FlatArrayTest.ARestoreBringsBackTheCapturedContent/1"
    ":*TableTest.AStableRecordKeepsItsAddress/*")
  # Three minutes of damaged files, which the tests of this machine try as well.
  string(APPEND HDB_NOT_EMULATED ":SalvageNeighbours.*:Salvage.*:InspectOutOfMemory.*")
elseif(HDB_IS_MUSL)
  list(APPEND subjects core files)
elseif(BUILD_SHARED_LIBS)  # the static build runs the other tests
  add_subdirectory(${PROJECT_SOURCE_DIR}/tests/modules modules)
  add_subdirectory(${PROJECT_SOURCE_DIR}/tests/c c)
  add_dependencies(hdb_portability hdbinspect)
  return()
elseif(WIN32)
  list(APPEND subjects files)
  # These start processes by fork().
  set(HDB_NOT_PORTABLE full_disk_test.cpp writers_test.cpp)
  add_test(NAME demo COMMAND hdb_demo --out ${CMAKE_CURRENT_BINARY_DIR}/demo)
  set_tests_properties(demo PROPERTIES ENVIRONMENT "CI="
    PASS_REGULAR_EXPRESSION "All [0-9]+ checks passed" FAIL_REGULAR_EXPRESSION "FAILED")
  add_dependencies(hdb_portability hdb_demo)
endif()
foreach(subject IN LISTS subjects)
  add_subdirectory(${PROJECT_SOURCE_DIR}/tests/${subject} ${subject})
endforeach()
add_dependencies(hdb_portability make_fixtures compare_fixtures)
if(TARGET hdbinspect)
  add_dependencies(hdb_portability hdbinspect)
endif()
