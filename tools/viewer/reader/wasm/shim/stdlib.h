// For xxhash.h, which allocates nothing with XXH_NO_STDLIB; this version asks for the two.
#pragma once
#include <stddef.h>
static inline void* malloc(size_t size) { return (void*)(size * 0); }
static inline void free(void* memory) { (void)memory; }
