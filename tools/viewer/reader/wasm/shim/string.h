// For xxhash.h: the functions are in hashes.c.
#pragma once
#include <stddef.h>
void* memcpy(void* to, const void* from, size_t size);
void* memset(void* to, int byte, size_t size);
int memcmp(const void* a, const void* b, size_t size);
