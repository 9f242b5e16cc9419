// What standard C++ lacks, under one name for g++, clang and MSVC: the one place that names a
// compiler. The forms for MSVC follow its manual; they were not compiled by MSVC yet. Macros alone,
// so that sources for a certain processor may include them.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#define HDB_IS_MSVC 1
#include <intrin.h>
#else
#define HDB_IS_MSVC 0
#endif

// HDB_INLINE: steps of which every instruction counts; they are inlined wherever they are used.
// HDB_PURE: calls that only read; a compiler keeps what it knows of memory across them.
// HDB_HIDDEN: one object for each module, whatever the visibility.
// HDB_FUNCTION_TEXT: the function with its template arguments, as the compiler writes it.
// HDB_UNLIKELY(condition), HDB_UNREACHABLE().
#if HDB_IS_MSVC
#define HDB_INLINE __forceinline
#define HDB_PURE
#define HDB_FUNCTION_TEXT __FUNCSIG__
#define HDB_UNLIKELY(condition) (condition)
#define HDB_UNREACHABLE() __assume(false)
#else
#define HDB_INLINE inline __attribute__((always_inline))
#define HDB_PURE __attribute__((pure))
#define HDB_FUNCTION_TEXT __PRETTY_FUNCTION__
#define HDB_UNLIKELY(condition) (__builtin_expect(condition, 0) != 0)
#define HDB_UNREACHABLE() __builtin_unreachable()
#endif
#if defined(__ELF__) || defined(__MACH__)
#define HDB_HIDDEN [[gnu::visibility("hidden")]]
#else
#define HDB_HIDDEN
#endif
// HDB_EXPORT, HDB_IMPORT: in a shared library, in what links it; see api.hpp.
#if defined(_WIN32)
#define HDB_EXPORT __declspec(dllexport)
#define HDB_IMPORT __declspec(dllimport)
#else
#define HDB_EXPORT __attribute__((visibility("default")))
#define HDB_IMPORT HDB_EXPORT
#endif
// HDB_WEAK: a function that the program may lack.
#if defined(__ELF__)
#define HDB_WEAK __attribute__((weak))
#endif

// Bring memory near the processor: to read, to write, to read it late (second-level cache).
#if HDB_IS_MSVC && (defined(_M_X64) || defined(_M_IX86))
#define HDB_PREFETCH(at) _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T0)
#define HDB_PREFETCH_TO_WRITE(at) HDB_PREFETCH(at)
#define HDB_PREFETCH_LATE(at) _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T1)
#elif HDB_IS_MSVC
#define HDB_PREFETCH(at) __prefetch(at)
#define HDB_PREFETCH_TO_WRITE(at) __prefetch(at)
#define HDB_PREFETCH_LATE(at) __prefetch(at)
#else
#define HDB_PREFETCH(at) __builtin_prefetch(at)
#define HDB_PREFETCH_TO_WRITE(at) __builtin_prefetch(at, 1)
#define HDB_PREFETCH_LATE(at) __builtin_prefetch(at, 0, 2)
#endif

// HDB_CLEAR_PADDING(object): sets the padding of *object to zero bits. Older compilers cannot.
#if HDB_IS_MSVC
#define HDB_CLEAR_PADDING(object) __builtin_zero_non_value_bits(object)
#elif defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define HDB_CLEAR_PADDING(object) __builtin_clear_padding(object)
#endif
#endif

// Around objects that are named and never made, on purpose: clang warns of them.
#if defined(__clang__)
#define HDB_BEGIN_NEVER_MADE                                                                    \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wundefined-internal\"") \
      _Pragma("clang diagnostic ignored \"-Wundefined-var-template\"")
#define HDB_END_NEVER_MADE _Pragma("clang diagnostic pop")
#else
#define HDB_BEGIN_NEVER_MADE
#define HDB_END_NEVER_MADE
#endif

// Vectors of 16 bytes: HDB_VECTOR(T) of numbers T, HDB_SHUFFLE(a, b, indices...), HDB_UNROLL_4
// before a loop of at most four rounds. Absent with MSVC, and for 32-bit x86 without SSE2, which
// lacks registers for them.
#if defined(__GNUC__) && (!defined(__i386__) || defined(__SSE2__))
#define HDB_HAS_VECTORS 1
#define HDB_VECTOR(T) T __attribute__((vector_size(16)))
#define HDB_SHUFFLE(...) __builtin_shufflevector(__VA_ARGS__)
#define HDB_UNROLL_4 _Pragma("GCC unroll 4")
#else
#define HDB_HAS_VECTORS 0
#endif

// HDB_HAS_SSE2: every processor that the code is for has it. HDB_CPU_HAS_AVX2(): this one has it.
#if defined(__SSE2__) || (HDB_IS_MSVC && (defined(_M_X64) || (_M_IX86_FP + 0 >= 2)))
#define HDB_HAS_SSE2 1
#else
#define HDB_HAS_SSE2 0
#endif
#if !HDB_IS_MSVC
#define HDB_CPU_HAS_AVX2() __builtin_cpu_supports("avx2")
#endif

// The control register for floating-point numbers of 64-bit Arm, to and from a std::uint64_t.
#if HDB_IS_MSVC && defined(_M_ARM64)
#define HDB_READ_FPCR(value) (value = static_cast<std::uint64_t>(_ReadStatusReg(0x5a20)))
#define HDB_WRITE_FPCR(value) _WriteStatusReg(0x5a20, static_cast<__int64>(value))
#elif defined(__aarch64__)
#define HDB_READ_FPCR(value) asm volatile("mrs %0, fpcr" : "=r"(value))
#define HDB_WRITE_FPCR(value) asm volatile("msr fpcr, %0" : : "r"(value))
#endif
