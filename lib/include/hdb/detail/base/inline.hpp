// HDB_INLINE, for steps of which every instruction counts: compilers inline them wherever they are
// used.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#define HDB_INLINE __forceinline
#else
#define HDB_INLINE inline __attribute__((always_inline))
#endif
