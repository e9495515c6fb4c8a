/* Arena: one aligned block of zeroed memory, cut into fixed places by its user. It never grows or moves, so pointers
 * into it are constants for the life of a program. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "base/error.h"

enum { ARENA_ALIGN = 64 }; /* bytes: one cache line, one 512-bit vector */

typedef struct {
    unsigned char *at;
    size_t bytes;
} Arena;

/* Allocate. RC_UNMEASURED: the machine does not have the memory (the line names the size). */
Rc arena_init(Arena *a, size_t bytes, Error *e);
void arena_release(Arena *a);

/* Zero bytes from .. to - 1 and return their whole pages to the machine until they are written again. */
void arena_drop(const Arena *a, size_t from, size_t to);

static inline size_t align_up(size_t bytes) {
    return (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
}

#endif
