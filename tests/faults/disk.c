/* The calls that touch files; see fault.h. Streams are made of the same calls: fopen gives a stream of libc's whose
 * reads and writes come back here, because libc's own do not pass through symbols that a library could stand before. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/faults/fault.h"

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* The errno of a strike in errno, or let through. */
#define STRIKE(call, path) ((errno = fault_strike(call, path)) != 0)

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    char whole[PATH_MAX];
    struct stat info;
    int (*next)(int, const char *, int, ...) = NEXT(openat);
    path_whole(path, whole);
    int makes = flags & O_CREAT && fstatat(folder, path, &info, 0);
    if (STRIKE(flags & O_CREAT ? CALL_CREATE : CALL_OPEN, whole)) return -1;
    int fd = next(folder, path, flags, mode);
    if (fd >= 0 && makes) power_created(whole);
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return open_at(AT_FDCWD, path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

ssize_t read(int fd, void *bytes, size_t length) {
    char path[PATH_MAX];
    path_of_fd(fd, path);
    int struck = fault_strike(CALL_READ, path);
    if (struck > 0) {
        errno = struck;
        return -1;
    }
    ssize_t got = NEXT(read)(fd, bytes, length);
    if (struck != FAULT_PART || got < 2 || lseek(fd, -(got / 2), SEEK_CUR) < 0) return got;
    return got - got / 2;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    char path[PATH_MAX];
    struct stat info;
    if (fd == STDERR_FILENO) return NEXT(write)(fd, bytes, length);
#ifdef ONLY_CHANGES
    if (fd == STDOUT_FILENO) return NEXT(write)(fd, bytes, length);
#endif
    path_of_fd(fd, path);
    int struck = fault_strike(CALL_WRITE, path);
    if (struck > 0) {
        errno = struck;
        return -1;
    }
    if (struck == FAULT_PART && length > 1) length /= 2;
    if (fd > STDERR_FILENO && !fstat(fd, &info) && S_ISREG(info.st_mode)) power_writes(path, info.st_size);
    if (struck != FAULT_FLIP || !length) return NEXT(write)(fd, bytes, length);
    char *other = memcpy(malloc(length), bytes, length);
    other[length / 2] ^= 1;
    ssize_t done = NEXT(write)(fd, other, length);
    free(other);
    return done;
}

int fsync(int fd) {
    char path[PATH_MAX];
    struct stat info;
    path_of_fd(fd, path);
    if (fault == FAULT_STALL && !fstat(fd, &info) && S_ISREG(info.st_mode)) {
        const char *go = getenv("FAULT_GO");
        fault_log("struck", path);
        for (int i = 0; i < 2000 && !(go && !access(go, F_OK)); i++)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (STRIKE(CALL_FSYNC, path)) return -1;
    power_synced(path);
    return 0; /* what the loops cut is counted here: the real disk need not be waited for */
}

/* The file is closed all the same, as Linux does. */
int close(int fd) {
    char path[PATH_MAX];
    path_of_fd(fd, path);
    int struck = fault_strike(CALL_CLOSE, path), failed = NEXT(close)(fd);
    if (struck <= 0) return failed;
    errno = struck;
    return -1;
}

int rename(const char *from, const char *to) {
    char a[PATH_MAX], b[PATH_MAX];
    struct stat info;
    path_whole(from, a), path_whole(to, b);
    if (STRIKE(CALL_RENAME, b)) return -1;
    if (!lstat(a, &info) && (lstat(b, &info) || S_ISREG(info.st_mode))) power_renames(a, b);
    return NEXT(rename)(from, to);
}

int link(const char *from, const char *to) {
    char whole[PATH_MAX];
    path_whole(to, whole);
    if (STRIKE(CALL_LINK, whole)) return -1;
    int failed = NEXT(link)(from, to);
    if (!failed) power_linked(whole);
    return failed;
}

int unlink(const char *path) {
    char whole[PATH_MAX];
    struct stat info;
    path_whole(path, whole);
    if (STRIKE(CALL_UNLINK, whole)) return -1;
    if (!lstat(whole, &info) && S_ISREG(info.st_mode)) power_unlinks(whole);
    return NEXT(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags) {
    char whole[PATH_MAX], name[PATH_MAX];
    struct stat info;
    path_of_fd(folder, whole);
    if (snprintf(name, sizeof name, "%.2000s/%.1000s", whole, path) < 0) return -1;
    if (STRIKE(CALL_UNLINK, name)) return -1;
    if (!lstat(name, &info) && S_ISREG(info.st_mode)) power_unlinks(name);
    return NEXT(unlinkat)(folder, path, flags);
}

/* rmdir of an empty folder: a cut brings it back, empty, which changes nothing that matters. */
int rmdir(const char *path) {
    char whole[PATH_MAX];
    path_whole(path, whole);
    return STRIKE(CALL_UNLINK, whole) ? -1 : NEXT(rmdir)(path);
}

int mkdir(const char *path, mode_t mode) {
    char whole[PATH_MAX];
    struct stat info;
    path_whole(path, whole);
    if (!stat(whole, &info)) return NEXT(mkdir)(path, mode);
    if (STRIKE(CALL_MKDIR, whole)) return -1;
    int failed = NEXT(mkdir)(path, mode);
    if (!failed) power_made(whole);
    return failed;
}

static void *map(void *at, size_t length, int protection, int flags, int fd, off_t from) {
    char path[PATH_MAX];
    path_of_fd(fd, path);
    return STRIKE(CALL_MMAP, path) ? MAP_FAILED : NEXT(mmap)(at, length, protection, flags, fd, from);
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t from) {
    return map(at, length, protection, flags, fd, from);
}

void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t from) {
    return map(at, length, protection, flags, fd, from);
}

/* ---- folders ---- */

DIR *opendir(const char *path) {
    char whole[PATH_MAX];
    path_whole(path, whole);
    return STRIKE(CALL_LIST, whole) ? NULL : NEXT(opendir)(path);
}

struct dirent64 *readdir64(DIR *folder) {
    int before = errno;
    char path[PATH_MAX];
    path_of_fd(dirfd(folder), path);
    if (STRIKE(CALL_LIST, path)) return NULL;
    errno = before;
    return NEXT(readdir64)(folder);
}

int scandir64(const char *path, struct dirent64 ***list, int (*wanted)(const struct dirent64 *),
              int (*order)(const struct dirent64 **, const struct dirent64 **)) {
    char whole[PATH_MAX];
    path_whole(path, whole);
    return STRIKE(CALL_LIST, whole) ? -1 : NEXT(scandir64)(path, list, wanted, order);
}

/* ---- streams ---- */

enum { STREAMS = 64 };
static struct {
    FILE *stream;
    int fd;
} streams[STREAMS];

static ssize_t stream_read(void *cookie, char *bytes, size_t length) {
    return read((int)(intptr_t)cookie, bytes, length);
}

/* libc repeats a write that took a part, and ends at one that fails. */
static ssize_t stream_write(void *cookie, const char *bytes, size_t length) {
    size_t done = 0;
    while (done < length) {
        ssize_t n = write((int)(intptr_t)cookie, bytes + done, length - done);
        if (n < 0) break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

static int stream_seek(void *cookie, off64_t *at, int from) {
    off64_t now = lseek64((int)(intptr_t)cookie, *at, from);
    if (now < 0) return -1;
    *at = now;
    return 0;
}

static int stream_close(void *cookie) {
    int fd = (int)(intptr_t)cookie;
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].stream && streams[i].fd == fd) streams[i].stream = NULL;
    return close(fd);
}

static FILE *stream_of(int fd, const char *mode) {
    FILE *f = fopencookie((void *)(intptr_t)fd, mode,
                          (cookie_io_functions_t){stream_read, stream_write, stream_seek, stream_close});
    for (int i = 0; f; i++) {
        if (i == STREAMS) abort();
        if (streams[i].stream) continue;
        streams[i].stream = f, streams[i].fd = fd;
        break;
    }
    return f;
}

static FILE *open_stream(const char *path, const char *mode) {
    int plus = strchr(mode, '+') != NULL, flags = plus ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    if (*mode == 'w') flags |= O_CREAT | O_TRUNC;
    if (*mode == 'a') flags |= O_CREAT | O_APPEND;
    if (strchr(mode, 'e')) flags |= O_CLOEXEC;
    if (strchr(mode, 'x')) flags |= O_EXCL;
    int fd = open_at(AT_FDCWD, path, flags, 0666);
    if (fd < 0) return NULL;
    const char plain[] = {*mode, plus ? '+' : 0, 0};
    FILE *f = stream_of(fd, plain);
    if (!f) NEXT(close)(fd);
    return f;
}

FILE *fopen(const char *path, const char *mode) {
    return open_stream(path, mode);
}

FILE *fopen64(const char *path, const char *mode) {
    return open_stream(path, mode);
}

int fileno(FILE *f) {
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].stream == f) return streams[i].fd;
    return NEXT(fileno)(f);
}

/* What the program prints goes through here too. */
__attribute__((constructor(102))) static void take_stdout(void) {
    if (fault != FAULT_NONE && fault < FAULT_OOM) stdout = stream_of(STDOUT_FILENO, "w");
}
