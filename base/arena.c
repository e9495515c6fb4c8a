#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

Rc arena_init(Arena *a, size_t bytes, Error *e) {
    a->bytes = align_up(bytes ? bytes : 1);
    a->at = aligned_alloc(ARENA_ALIGN, a->bytes);
    if (!a->at) return error_set(e, RC_UNMEASURED, "out of memory: one arena needs %zu MB", a->bytes >> 20);
    memset(a->at, 0, a->bytes);
    return RC_OK;
}

void arena_release(Arena *a) {
    free(a->at);
    a->at = NULL;
    a->bytes = 0;
}
