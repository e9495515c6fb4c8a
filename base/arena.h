/* Arena: one aligned block of zeroed memory that others cut into fixed places. It never grows and never moves, so
 * pointers into it are constants for the life of a program. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/error.h"

enum { ARENA_ALIGN = 64 }; /* bytes: one cache line, one 512-bit vector */

typedef struct {
    unsigned char *at;
    size_t bytes;
} Arena;

/* RC_UNMEASURED when the machine does not have the memory (the line says how much was asked for). */
Rc arena_init(Arena *a, size_t bytes, Error *e);
void arena_release(Arena *a);

/* Bytes from .. to - 1 become 0, and the machine has whole pages of them back until they are written again. */
void arena_drop(const Arena *a, size_t from, size_t to);

static inline size_t align_up(size_t bytes) {
    return (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
}

#endif
