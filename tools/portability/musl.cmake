# Toolchain of the preset `musl`: clang 14, Debian's musl-tools, and libc++ 13, which musl_libcxx.sh
# compiles once. Programs are static, so they run on this machine.
set(HDB_IS_MUSL TRUE)  # CMake does not say which C library a system has
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_CXX_COMPILER clang++-14)
set(CMAKE_C_COMPILER_TARGET x86_64-linux-musl)
set(CMAKE_CXX_COMPILER_TARGET x86_64-linux-musl)

get_filename_component(hdb_sources ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(libcxx ${hdb_sources}/build/musl-libcxx)
if(NOT EXISTS ${libcxx}/libc++.a)
  message(STATUS "Compiling libc++ for musl in ${libcxx}")
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/musl_libcxx.sh ${libcxx}
    COMMAND_ERROR_IS_FATAL ANY)
endif()

set(emscripten /usr/share/emscripten/system/lib)
set(musl_headers "-isystem /usr/include/x86_64-linux-musl -isystem ${libcxx}/kernel")
set(CMAKE_C_FLAGS_INIT "-nostdlibinc ${musl_headers}")
set(CMAKE_CXX_FLAGS_INIT "-nostdlibinc -nostdinc++ -isystem ${emscripten}/libcxx/include \
-isystem ${emscripten}/libcxxabi/include ${musl_headers} -D_LIBCPP_HAS_MUSL_LIBC \
-include ${hdb_sources}/tests/portability/old_libcxx.hpp")

# The parts of a static program that clang would look for beside a GCC for musl.
execute_process(COMMAND gcc -print-file-name=libgcc.a OUTPUT_VARIABLE libgcc
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(gcc ${libgcc} DIRECTORY)
set(musl /usr/lib/x86_64-linux-musl)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -nostdlib -fuse-ld=bfd -Wl,--eh-frame-hdr \
-Wno-unused-command-line-argument ${musl}/crt1.o ${musl}/crti.o ${gcc}/crtbeginT.o")
set(CMAKE_C_STANDARD_LIBRARIES "-Wl,--start-group ${libcxx}/libc++.a ${musl}/libc.a ${libgcc} \
-Wl,--end-group ${gcc}/crtend.o ${musl}/crtn.o")
set(CMAKE_CXX_STANDARD_LIBRARIES "${CMAKE_C_STANDARD_LIBRARIES}")
