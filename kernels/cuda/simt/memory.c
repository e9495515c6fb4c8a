#include "kernels/cuda/simt/memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"

enum { HUGE_PAGE = 2 << 20 };

/* Pages of one allocation, which ends at the start of a page that is never open. */
struct Region {
    Region *next, *next_of_all;
    unsigned char *from; /* pages */
    size_t bytes;        /* size of the pages without the closed one at the end */
    unsigned char *at;   /* the allocation */
};

/* List of regions, in which the handler looks up an address. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Region *all;
static size_t page;
static struct sigaction before;

/* Say what was touched, then let the signal come again to the previous handler. A process that ends takes no lock. */
static void touched(int number, siginfo_t *info, void *context) {
    static const char host[] = "simt: the host touched memory of the device: only kernels and copies may\n";
    static const char beyond[] = "simt: something touched what lies beyond the end of memory of the device\n";
    const uintptr_t at = (uintptr_t)info->si_addr;
    (void)context;
    for (const Region *r = all; r; r = r->next_of_all) {
        const uintptr_t from = (uintptr_t)r->from, end = from + r->bytes;
        if (at < from || at >= end + page) continue;
        ssize_t n =
            at < end ? write(STDERR_FILENO, host, sizeof host - 1) : write(STDERR_FILENO, beyond, sizeof beyond - 1);
        (void)n;
        break;
    }
    sigaction(number, &before, NULL);
}

static void listen(void) {
    struct sigaction now = {.sa_flags = SA_SIGINFO};
    now.sa_sigaction = touched;
    page = (size_t)sysconf(_SC_PAGESIZE);
    sigaction(SIGSEGV, &now, &before);
}

static void protect(const Region *r, int how) {
    if (!mprotect(r->from, r->bytes, how)) return;
    perror("simt: mprotect");
    abort();
}

Rc memory_take(Memory *m, void **at, size_t bytes, Error *e) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, listen);
    const size_t used = align_up(bytes ? bytes : 1), pages = (used + page - 1) / page * page;
    unsigned char *from = mmap(NULL, pages + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *at = NULL;
    /* writable pages count against the machine's memory, closed ones do not */
    if (from != MAP_FAILED && mprotect(from, pages, PROT_READ | PROT_WRITE))
        munmap(from, pages + page), from = MAP_FAILED;
    if (from == MAP_FAILED) return error_set(e, RC_UNMEASURED, "out of memory: one arena needs %zu MB", used >> 20);
#ifdef MADV_HUGEPAGE
    if (pages >= HUGE_PAGE) (void)madvise(from, pages, MADV_HUGEPAGE);
#endif
    Region *r = mem_alloc(1, sizeof *r);
    *r = (Region){m->first, NULL, from, pages, from + pages - used};
    m->first = r;
    if (!m->open) protect(r, PROT_NONE);
    pthread_mutex_lock(&lock);
    r->next_of_all = all, all = r;
    pthread_mutex_unlock(&lock);
    *at = r->at;
    return RC_OK;
}

static void drop(Region *r) {
    pthread_mutex_lock(&lock);
    Region **link = &all;
    while (*link != r) link = &(*link)->next_of_all;
    *link = r->next_of_all;
    pthread_mutex_unlock(&lock);
    munmap(r->from, r->bytes + page);
    free(r);
}

void memory_give(Memory *m, void *at) {
    for (Region **link = &m->first; *link; link = &(*link)->next)
        if ((*link)->at == at) {
            Region *r = *link;
            *link = r->next;
            drop(r);
            return;
        }
}

void memory_release(Memory *m) {
    while (m->first) {
        Region *r = m->first;
        m->first = r->next;
        drop(r);
    }
}

void memory_open(Memory *m) {
    if (m->open++) return;
    for (const Region *r = m->first; r; r = r->next) protect(r, PROT_READ | PROT_WRITE);
}

void memory_close(Memory *m) {
    if (--m->open) return;
    for (const Region *r = m->first; r; r = r->next) protect(r, PROT_NONE);
}

/* Return the region that holds those bytes; NULL: none. */
static const Region *region_of(const Memory *m, const void *at, size_t bytes) {
    for (const Region *r = m->first; r; r = r->next) {
        const size_t offset = (uintptr_t)at - (uintptr_t)r->from;
        if (offset < r->bytes && bytes <= r->bytes - offset) return r;
    }
    fprintf(stderr, "simt: a copy of %zu bytes is not within memory of the device\n", bytes);
    abort();
}

void memory_put(const Memory *m, void *to, const void *from, size_t bytes) {
    if (!bytes) return;
    const Region *r = region_of(m, to, bytes);
    if (!m->open) protect(r, PROT_READ | PROT_WRITE);
    memcpy(to, from, bytes);
    if (!m->open) protect(r, PROT_NONE);
}

void memory_get(const Memory *m, void *to, const void *from, size_t bytes) {
    if (!bytes) return;
    const Region *r = region_of(m, from, bytes);
    if (!m->open) protect(r, PROT_READ);
    memcpy(to, from, bytes);
    if (!m->open) protect(r, PROT_NONE);
}
