// Whether a sanitizer watches the program: HDB_HAS_ASAN and HDB_HAS_TSAN are 1 or 0. g++ says it by
// macros, clang by features.
#pragma once

#if defined(__has_feature)
#define HDB_HAS_FEATURE(name) __has_feature(name)
#else
#define HDB_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || HDB_HAS_FEATURE(address_sanitizer)
#define HDB_HAS_ASAN 1
#else
#define HDB_HAS_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__) || HDB_HAS_FEATURE(thread_sanitizer)
#define HDB_HAS_TSAN 1
#else
#define HDB_HAS_TSAN 0
#endif
