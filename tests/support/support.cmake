# The codecs of the records that tests share (records.hpp), the number of their cases, and where the
# files that they read lie.
set(support ${PROJECT_SOURCE_DIR}/tests/support)
add_library(hdb_tests_records STATIC ${support}/records.cpp ${support}/scale.cpp
  ${support}/source_folder.cpp)
target_link_libraries(hdb_tests_records PUBLIC hdb::hdb)
target_include_directories(hdb_tests_records PUBLIC ${PROJECT_SOURCE_DIR}/tests)
set_source_files_properties(${support}/source_folder.cpp PROPERTIES
  COMPILE_DEFINITIONS HDB_SOURCE_FOLDER="${PROJECT_SOURCE_DIR}")
