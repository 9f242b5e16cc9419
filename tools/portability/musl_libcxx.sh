#!/usr/bin/env bash
# Compiles a static libc++ for musl: musl_libcxx.sh FOLDER makes FOLDER/libc++.a, with libc++abi and
# libunwind in it, and FOLDER/kernel with the headers of Linux alone. Debian has no C++ library for
# musl; the sources are those of libc++ 13 in its package of Emscripten, compiled by clang 14.
set -euo pipefail
folder=$1
library=/usr/share/emscripten/system/lib
musl=/usr/include/x86_64-linux-musl
for needed in "$library/libcxx/src" "$musl/features.h"; do
  [ -e "$needed" ] ||
    { echo "musl_libcxx.sh: $needed does not exist; run tools/setup.sh --portability" >&2; exit 1; }
done

objects=$folder/objects
rm -rf "$objects"
mkdir -p "$objects" "$folder/kernel"
ln -sfn /usr/include/linux "$folder/kernel/linux"
ln -sfn /usr/include/asm-generic "$folder/kernel/asm-generic"
ln -sfn /usr/include/x86_64-linux-gnu/asm "$folder/kernel/asm"

flags=(--target=x86_64-linux-musl -O2 -w -fPIC -funwind-tables -nostdlibinc
       -isystem "$musl" -isystem "$folder/kernel" -I"$library/libunwind/include")
cxx_flags=(-std=c++20 -nostdinc++ -isystem "$library/libcxx/include"
           -isystem "$library/libcxxabi/include" "${flags[@]}" -D_LIBCPP_HAS_MUSL_LIBC
           -D_LIBCPP_BUILDING_LIBRARY -I"$library/libcxx" -I"$library/libcxx/src")

compile() { # compile SOURCE: one object, by the part of the library that the source is in
  local source=$1
  local part=${source#"$library/"}
  local object=$objects/${part//\//_}.o
  case $part in
    libcxx/*) clang++-14 "${cxx_flags[@]}" -DLIBCXX_BUILDING_LIBCXXABI -c "$source" -o "$object" ;;
    # Emscripten's edition asks with #ifdef for a macro that it always defines.
    libcxxabi/*)
      sed '/^#define __USING_SJLJ_OR_WASM_EXCEPTIONS__/d' "$source" |
        clang++-14 "${cxx_flags[@]}" -D_LIBCXXABI_BUILDING_LIBRARY -DLIBCXXABI_USE_LLVM_UNWINDER \
          -I"$library/libcxxabi/src" -x c++ -c - -o "$object" ;;
    *.cpp) clang++-14 "${cxx_flags[@]}" -D_LIBUNWIND_IS_NATIVE_ONLY -c "$source" -o "$object" ;;
    *) clang-14 "${flags[@]}" -D_LIBUNWIND_IS_NATIVE_ONLY -c "$source" -o "$object" ;;
  esac
}

unwind=("$library"/libunwind/src/{libunwind.cpp,UnwindLevel1.c,UnwindLevel1-gcc-ext.c}
        "$library"/libunwind/src/{UnwindRegistersRestore.S,UnwindRegistersSave.S})
for source in "$library"/libcxx/src/*.cpp "$library"/libcxx/src/filesystem/*.cpp \
    "$library"/libcxxabi/src/*.cpp "${unwind[@]}"; do
  case $source in
    */cxa_noexception.cpp | */stdlib_new_delete.cpp) ;;  # for programs without exceptions; libc++'s
    *) compile "$source" ;;
  esac
done
rm -f "$folder/libc++.a"
ar rcs "$folder/libc++.new" "$objects"/*.o
mv "$folder/libc++.new" "$folder/libc++.a"
