#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20 }; /* size on x86-64, and on arm64 with 4 KB pages; elsewhere only an alignment */

/* Allocate and ask for huge pages: matrix kernels read many rows at once, and with 4 KB pages they need more page
 * addresses than a processor caches (its TLB). Without them results are the same and take longer. */
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

void arena_drop(const Arena *a, size_t from, size_t to) {
    unsigned char *first = a->at + from, *last = a->at + to;
    if (from >= to) return;
#ifdef MADV_DONTNEED
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)first + page - 1) / page * page;
    uintptr_t end = (uintptr_t)last / page * page;
    /* such pages of private memory, like malloc's, read as zeros */
    if (end > begin && !madvise((void *)begin, end - begin, MADV_DONTNEED)) {
        memset(first, 0, begin - (uintptr_t)first);
        memset((void *)end, 0, (uintptr_t)last - end);
        return;
    }
#endif
    memset(first, 0, to - from);
}

void arena_release(Arena *a) {
    free(a->at);
    a->at = NULL;
    a->bytes = 0;
}
