// HDB_INLINE, for steps of which every instruction counts: compilers inline them wherever they are
// used. HDB_PURE, for calls that only read: a compiler keeps what it knows of memory across them.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#define HDB_INLINE __forceinline
#define HDB_PURE
#else
#define HDB_INLINE inline __attribute__((always_inline))
#define HDB_PURE __attribute__((pure))
#endif
