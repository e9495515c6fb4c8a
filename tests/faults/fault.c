/* Which call goes wrong; see fault.h. And memory: malloc and its kin. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/faults/fault.h"

Fault fault;
long fault_at;
static long calls, allocations;
static int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *const fault_names[] = {"none", "count", "enospc", "eio",  "eintr", "short", "full", "rot",
                                          "rough", "stall", "kill",   "cut", "lose", "oom",   "ooms"};
static const char *const call_names[] = {"open", "create", "read",  "write", "fsync", "rename",
                                         "link", "unlink", "mkdir", "mmap",  "close", "list"};

static int needs_space(Call call) {
    return call == CALL_CREATE || call == CALL_WRITE || call == CALL_FSYNC || call == CALL_RENAME ||
           call == CALL_LINK || call == CALL_MKDIR;
}

void fault_log(const char *word, const char *rest) {
    const char *path = getenv("FAULT_LOG");
    char line[PATH_MAX + 64];
    if (!path) return;
    long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    int n = snprintf(line, sizeof line, "%s %s\n", word, rest);
    if (fd < 0) return;
    syscall(SYS_write, fd, line, (size_t)n);
    syscall(SYS_close, fd);
}

void path_whole(const char *path, char out[PATH_MAX]) {
    out[0] = 0;
    if (*path != '/' && (syscall(SYS_getcwd, out, PATH_MAX) < 0 || strlen(out) + strlen(path) + 2 > PATH_MAX)) abort();
    if (*path != '/') strcat(out, "/");
    strncat(out, path, PATH_MAX - 1 - strlen(out));
}

void path_of_fd(int fd, char out[PATH_MAX]) {
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(name, out, PATH_MAX - 1);
    out[n > 0 ? n : 0] = 0;
}

static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

static int struck(Call call) {
    static int turn;
    switch (fault) {
    case FAULT_ENOSPC: return ENOSPC;
    case FAULT_EIO: return EIO;
    case FAULT_EINTR: return EINTR;
    case FAULT_SHORT: return FAULT_PART;
    case FAULT_FULL: return needs_space(call) ? ENOSPC : 0;
    case FAULT_ROT: return call == CALL_WRITE ? FAULT_FLIP : 0;
    case FAULT_ROUGH: return call != CALL_WRITE ? 0 : ++turn % 2 ? EINTR : FAULT_PART;
    case FAULT_KILL: die(); break;
    case FAULT_CUT:
    case FAULT_LOSE: power_cut(fault == FAULT_LOSE), die(); break;
    case FAULT_NONE:
    case FAULT_COUNT:
    case FAULT_STALL:
    case FAULT_OOM:
    case FAULT_OOMS: break;
    }
    return 0;
}

int fault_strike(Call call, const char *path) {
    char line[PATH_MAX + 32];
    int result = 0, before = errno;
    if (!ready || fault == FAULT_NONE || fault >= FAULT_OOM) return 0;
#ifdef ONLY_CHANGES
    if (!needs_space(call) && call != CALL_UNLINK) return 0;
#endif
    pthread_mutex_lock(&lock);
    long now = ++calls;
    if (fault == FAULT_COUNT) fault_log(call_names[call], path);
    if (now == fault_at || (fault >= FAULT_FULL && fault <= FAULT_ROUGH && now > fault_at && fault_at)) {
        if (now == fault_at) {
            snprintf(line, sizeof line, "%s %s", call_names[call], path);
            fault_log("struck", line);
        }
        result = struck(call);
    }
    pthread_mutex_unlock(&lock);
    errno = before;
    return result;
}

/* ---- memory ---- */

static int out_of_memory(void) {
    if (!ready || (fault != FAULT_OOM && fault != FAULT_OOMS && fault != FAULT_COUNT)) return 0;
    long now = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    if (fault == FAULT_COUNT || now < fault_at || (fault == FAULT_OOM && now > fault_at)) return 0;
    if (now == fault_at) fault_log("struck", "allocation");
    errno = ENOMEM;
    return 1;
}

/* dlsym itself may ask for memory: that comes from here, and is never given back. */
static char *early(size_t bytes) {
    static _Alignas(64) char room[1 << 16];
    static size_t used;
    char *at = room + used;
    used += (bytes + 63) / 64 * 64;
    if (used > sizeof room) abort();
    return at;
}

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    int found;
} next;

static int find_next(void) {
    if (next.found == 2) return 1;
    if (next.found == 1) return 0;
    next.found = 1;
    next.malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    next.calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    next.realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    next.aligned_alloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
    next.posix_memalign = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
    next.found = 2;
    return 1;
}

void *malloc(size_t bytes) {
    if (!find_next()) return early(bytes);
    return out_of_memory() ? NULL : next.malloc(bytes);
}

void *calloc(size_t count, size_t size) {
    if (!find_next()) return early(count * size);
    return out_of_memory() ? NULL : next.calloc(count, size);
}

void *realloc(void *old, size_t bytes) {
    if (!find_next()) abort();
    return out_of_memory() ? NULL : next.realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    if (!find_next()) abort();
    return out_of_memory() ? NULL : next.aligned_alloc(alignment, bytes);
}

int posix_memalign(void **at, size_t alignment, size_t bytes) {
    if (!find_next()) abort();
    return out_of_memory() ? ENOMEM : next.posix_memalign(at, alignment, bytes);
}

__attribute__((constructor(101))) static void begin(void) {
    const char *name = getenv("FAULT"), *at = getenv("FAULT_AT");
    for (size_t i = 0; name && i < sizeof fault_names / sizeof *fault_names; i++)
        if (!strcmp(name, fault_names[i])) fault = (Fault)i;
    fault_at = at ? atol(at) : 0;
    unsetenv("LD_PRELOAD"); /* what the program starts is not disturbed */
}

static int (*program_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **environment) {
    ready = 1;
    return program_main(argc, argv, environment);
}

/* What libraries do before main is theirs: it is counted from main on. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader)(void), void *stack) {
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = main;
    return start(counted_main, argc, argv, init, fini, loader, stack);
}

__attribute__((destructor)) static void end(void) {
    char number[32];
    snprintf(number, sizeof number, "%ld", allocations);
    if (fault == FAULT_COUNT) fault_log("allocations", number);
}
