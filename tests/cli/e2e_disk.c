/* A disk that fails, for tests/cli/e2e.sh: built there as a library and put in front of libc with LD_PRELOAD.
 *
 * DISK_FAULT says how, DISK_AT (from 1) at which of the calls that change the disk, DISK_MARK names a file that is made
 * when it happens, so that a loop over DISK_AT knows where to end.
 *   kill    the process dies there; what was written and not synced is cut to half, as a power cut may leave it
 *   broken  the call fails with EIO, once
 *   full    from there on everything that needs space fails with ENOSPC
 *   rot     from there on every write changes one bit
 *   rough   every write is interrupted once and then takes only a part
 *   stall   every fsync of a file waits until there is a file DISK_GO, 20 seconds at most */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };
static char unsynced[MOST][PATH_MAX];
static int calls;

static const char *fault(void) {
    const char *name = getenv("DISK_FAULT");
    return name ? name : "";
}

static int is(const char *name) {
    return !strcmp(fault(), name);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void mark(void) {
    const char *path = getenv("DISK_MARK");
    int fd = path ? NEXT(open)(path, O_WRONLY | O_CREAT, 0666) : -1;
    if (fd >= 0) NEXT(close)(fd);
}

static void power_cut(void) {
    struct stat info;
    for (int i = 0; i < MOST; i++) {
        if (!unsynced[i][0] || stat(unsynced[i], &info)) continue;
        int failed = truncate(unsynced[i], info.st_size / 2);
        (void)failed;
    }
    mark();
    raise(SIGKILL);
}

/* Counts a call that changes the disk; nonzero: the errno with which it fails. */
static int strike(int needs_space) {
    const char *at = getenv("DISK_AT");
    int first = at ? atoi(at) : 0;
    calls++;
    if (!first || calls < first) return 0;
    if (is("kill")) power_cut();
    if (is("broken") && calls == first) {
        mark();
        return EIO;
    }
    if (is("full") && needs_space) {
        mark();
        return ENOSPC;
    }
    return 0;
}

static void path_of(int fd, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = 0;
}

static void set_synced(int fd, int synced) {
    char path[PATH_MAX];
    int room = -1;
    path_of(fd, path);
    for (int i = 0; i < MOST; i++) {
        if (!strcmp(unsynced[i], path)) {
            if (synced) unsynced[i][0] = 0;
            return;
        }
        if (!unsynced[i][0]) room = i;
    }
    if (!synced && room >= 0) strcpy(unsynced[room], path);
}

ssize_t write(int fd, const void *bytes, size_t length) {
    static int turn;
    const char *at = getenv("DISK_AT");
    if (fd <= STDERR_FILENO) return NEXT(write)(fd, bytes, length);
    if (is("rough")) {
        mark();
        if (++turn % 2) {
            errno = EINTR;
            return -1;
        }
        length = (length + 1) / 2;
    }
    set_synced(fd, 0);
    if ((errno = strike(1))) return -1;
    if (!is("rot") || !length || !at || calls < atoi(at)) return NEXT(write)(fd, bytes, length);
    char *other = malloc(length);
    memcpy(other, bytes, length);
    other[length / 2] ^= 1;
    mark();
    ssize_t n = NEXT(write)(fd, other, length);
    free(other);
    return n;
}

int fsync(int fd) {
    struct stat what;
    if (is("stall") && !fstat(fd, &what) && S_ISREG(what.st_mode)) {
        const char *go = getenv("DISK_GO");
        mark();
        for (int i = 0; i < 2000 && !(go && !access(go, F_OK)); i++)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if ((errno = strike(0))) return -1;
    set_synced(fd, 1);
    return NEXT(fsync)(fd);
}

int rename(const char *from, const char *to) {
    char whole[PATH_MAX];
    if ((errno = strike(1))) return -1;
    char *known = realpath(from, whole);
    int failed = NEXT(rename)(from, to);
    for (int i = 0; known && !failed && i < MOST; i++) {
        size_t n = strlen(whole);
        char tail[PATH_MAX];
        if (strncmp(unsynced[i], whole, n) || (unsynced[i][n] && unsynced[i][n] != '/')) continue;
        strcpy(tail, unsynced[i] + n);
        if (realpath(to, unsynced[i])) strncat(unsynced[i], tail, PATH_MAX - 1 - strlen(unsynced[i]));
    }
    return failed;
}

static int open_as(const char *name, const char *path, int flags, mode_t mode) {
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name);
    if (flags & O_CREAT && (errno = strike(1))) return -1;
    return next(path, flags, mode);
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return open_as(#name, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode) {
    struct stat info;
    if (stat(path, &info) && (errno = strike(1))) return -1;
    return NEXT(mkdir)(path, mode);
}

int unlink(const char *path) {
    struct stat info;
    if (!lstat(path, &info) && (errno = strike(0))) return -1;
    return NEXT(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags) {
    struct stat info;
    if (!fstatat(folder, path, &info, AT_SYMLINK_NOFOLLOW) && (errno = strike(0))) return -1;
    return NEXT(unlinkat)(folder, path, flags);
}

int rmdir(const char *path) {
    if ((errno = strike(0))) return -1;
    return NEXT(rmdir)(path);
}
