# HDB_BUNDLED: zstd and xxHash are compiled from their sources and become part of hdb's libraries,
# so that a build needs neither library. HDB_BUNDLED_DIR is the folder of the sources; on Debian the
# configuration fetches what is missing there.
set(HDB_BUNDLED_DIR ${PROJECT_SOURCE_DIR}/build/sources CACHE PATH
  "Where the folders libzstd, xxhash and utf8proc are, with their unpacked releases")

# hdb_bundled_source(NAME FILE): sets NAME_dir to the folder of the source package, which must have
# this file.
function(hdb_bundled_source name file)
  set(folder ${HDB_BUNDLED_DIR}/${name})
  if(NOT EXISTS ${folder}/${file})
    find_program(HDB_BASH bash)
    mark_as_advanced(HDB_BASH)
    set(failed TRUE)
    if(HDB_BASH)
      execute_process(COMMAND ${HDB_BASH} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/fetch_sources.sh
        ${HDB_BUNDLED_DIR} ${name} RESULT_VARIABLE failed)
    endif()
    if(failed OR NOT EXISTS ${folder}/${file})
      message(FATAL_ERROR "HDB_BUNDLED: there is no ${folder}/${file}. Unpack a release of ${name} "
        "there, or set HDB_BUNDLED_DIR to the folder that has it as ${name}.")
    endif()
  endif()
  set(${name}_dir ${folder} PARENT_SCOPE)
endfunction()

# hdb_add_bundled(NAME FOLDER sources...): compiles the sources as target hdb_bundled_NAME, with
# only its headers as hdb::NAME.
function(hdb_add_bundled name include_dir)
  add_library(hdb_bundled_${name} OBJECT ${ARGN})
  set_target_properties(hdb_bundled_${name} PROPERTIES UNITY_BUILD OFF
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden COMPILE_WARNING_AS_ERROR OFF)
  target_include_directories(hdb_bundled_${name} PRIVATE ${include_dir})
  # Not hdb's warnings; and as fast in a debug build as the libraries of the system.
  target_compile_options(hdb_bundled_${name} PRIVATE
    $<$<C_COMPILER_ID:GNU,Clang,AppleClang>:-w;-O2> $<$<C_COMPILER_ID:MSVC>:/w>)
  add_library(hdb::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(hdb::${name} INTERFACE ${include_dir})
endfunction()

enable_language(C)
hdb_bundled_source(libzstd lib/zstd.h)
hdb_bundled_source(xxhash xxhash.h)
file(GLOB zstd_sources CONFIGURE_DEPENDS ${libzstd_dir}/lib/common/*.c
  ${libzstd_dir}/lib/compress/*.c ${libzstd_dir}/lib/decompress/*.c)
hdb_add_bundled(zstd ${libzstd_dir}/lib ${zstd_sources})
target_compile_definitions(hdb_bundled_zstd PRIVATE ZSTD_DISABLE_ASM)
hdb_add_bundled(xxhash ${xxhash_dir} ${xxhash_dir}/xxhash.c)
