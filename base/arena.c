#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 }; /* of x86-64 and of arm64 with small pages of 4 KB; elsewhere only an alignment */

/* Matrix kernels read many rows at once; with pages of 4 KB they need more page addresses than a processor caches (its
 * TLB), so huge pages are asked for. Without them the results are the same and take longer. */
static void *allocate(size_t bytes) {
    if (bytes < HUGE_PAGE) return aligned_alloc(ARENA_ALIGN, bytes);
    void *at = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
#ifdef MADV_HUGEPAGE
    if (at) (void)madvise(at, bytes, MADV_HUGEPAGE);
#endif
    return at;
}

Rc arena_init(Arena *a, size_t bytes, Error *e) {
    a->bytes = align_up(bytes ? bytes : 1);
    a->at = allocate(a->bytes);
    if (!a->at) return error_set(e, RC_UNMEASURED, "out of memory: one arena needs %zu MB", a->bytes >> 20);
    memset(a->at, 0, a->bytes);
    return RC_OK;
}

void arena_release(Arena *a) {
    free(a->at);
    a->at = NULL;
    a->bytes = 0;
}
