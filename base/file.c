#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/text.h"

bool file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

int file_open(const char *path, int flags) {
    int fd;
    do fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

ssize_t file_take(int fd, void *bytes, size_t most) {
    ssize_t got;
    do got = read(fd, bytes, most);
    while (got < 0 && errno == EINTR);
    return got;
}

int file_sync(int fd) {
    int failed;
    do failed = fsync(fd);
    while (failed && errno == EINTR);
    return failed;
}

/* Most bytes of a stream that is no plain file: /dev/zero never ends. */
enum { STREAM_MAX = 1 << 30 };

Rc file_read(const char *path, char **bytes, size_t *length, Error *e) {
    int fd = file_open(path, O_RDONLY);
    if (fd < 0) return error_set(e, errno == ENOENT ? RC_USAGE : RC_UNMEASURED, "%s: %s", path, strerror(errno));
    struct stat is;
    size_t size = fstat(fd, &is) || !S_ISREG(is.st_mode) ? 0 : (size_t)is.st_size, most = size;
    if (most < STREAM_MAX) most = STREAM_MAX;
    double memory = size > STREAM_MAX ? pool_memory() : (double)size;
    if ((double)size > memory) {
        close(fd);
        return error_set(e, RC_UNMEASURED, "%s: the file has %.1f GiB, this machine %.1f GiB of memory", path,
                         (double)size / STREAM_MAX, memory / STREAM_MAX);
    }
    size_t room = size + 2 > 1 << 16 ? size + 2 : 1 << 16, n = 0; /* one for the terminator, one to see the end */
    char *at = mem_alloc(room, 1);
    for (;;) {
        if (n + 1 >= room) at = mem_grow(at, room *= 2, 1);
        ssize_t got = file_take(fd, at + n, room - n - 1);
        if (got > 0) n += (size_t)got;
        if (got > 0 && n <= most) continue;
        if (!got) break;
        error_set(e, RC_UNMEASURED, "%s: %s", path, got < 0 ? strerror(errno) : "it is longer than 1 GiB");
        free(at);
        close(fd);
        return e->code;
    }
    close(fd);
    at[n] = 0;
    *bytes = at;
    *length = n;
    return RC_OK;
}

/* Sync the folder of path: an entry is durable only once its folder is synced. */
static int sync_parent(const char *path) {
    char *parent = mem_text(path), *slash = strrchr(parent, '/');
    if (slash == parent)
        slash[1] = 0;
    else if (slash)
        *slash = 0;
    int fd = file_open(slash ? parent : ".", O_RDONLY | O_DIRECTORY);
    free(parent);
    if (fd < 0) return -1;
    int failed = file_sync(fd), why = errno;
    close(fd);
    errno = why;
    return failed;
}

static int write_all(int fd, const char *bytes, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t n = write(fd, bytes + done, length - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        done += (size_t)n;
    }
    return 0;
}

enum { BLOCK = 1 << 18 };

/* Write the parts: gather small ones in a block, write larger ones directly. */
static int write_parts(int fd, const FilePart *part, int parts) {
    OWNED char *block = mem_alloc(BLOCK, 1);
    size_t held = 0;
    int failed = 0;
    for (int i = 0; i < parts && !failed; i++) {
        if (held + part[i].length > BLOCK) {
            failed = write_all(fd, block, held);
            held = 0;
        }
        if (part[i].length > BLOCK) {
            failed = failed || write_all(fd, part[i].bytes, part[i].length);
        } else if (part[i].length) {
            memcpy(block + held, part[i].bytes, part[i].length);
            held += part[i].length;
        }
    }
    failed = failed || write_all(fd, block, held);
    int why = errno;
    errno = why;
    return failed;
}

/* Return 1 if the next bytes of the file are these, 0 if not, -1 (errno) if it cannot be read. block has BLOCK bytes.
 * */
static int next_are(int fd, const char *bytes, size_t length, char *block) {
    for (size_t done = 0; done < length;) {
        ssize_t got = file_take(fd, block, length - done < BLOCK ? length - done : BLOCK);
        if (got < 0) return -1;
        if (!got || memcmp(block, bytes + done, (size_t)got)) return 0;
        done += (size_t)got;
    }
    return 1;
}

static Rc read_back(const char *aside, const char *path, const FilePart *part, int parts, Error *e) {
    int fd = file_open(aside, O_RDONLY);
    if (fd < 0) return error_set(e, RC_UNMEASURED, "%s: %s", aside, strerror(errno));
    OWNED char *block = mem_alloc(BLOCK, 1);
    int same = 1;
    for (int i = 0; i < parts && same > 0; i++) same = next_are(fd, part[i].bytes, part[i].length, block);
    if (same > 0) {
        ssize_t more = file_take(fd, block, 1);
        same = more < 0 ? -1 : !more;
    }
    int why = errno;
    close(fd);
    if (same > 0) return RC_OK;
    if (same < 0) return error_set(e, RC_UNMEASURED, "%s: cannot be read back: %s", path, strerror(why));
    return error_set(e, RC_UNMEASURED, "%s: the bytes that were read back differ from those written", path);
}

/* Append ".tmp.PID.HOST", which names the writer. */
static void add_writer(char *out, size_t size, long process) {
    char host[65] = "";
    (void)gethostname(host, sizeof host - 1);
    snprintf(out, size, ".tmp.%ld.%s", process, host);
}

/* Remove a folder's temporary files, of that name or of any (""), whose process on this host is gone. */
static void sweep(const char *folder, const char *name) {
    DIR *all = opendir(folder);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        char writer[96];
        const char *tmp = strstr(entry->d_name, ".tmp.");
        long process = tmp ? strtol(tmp + 5, NULL, 10) : 0;
        bool named = !strncmp(entry->d_name, name, strlen(name)) && tmp == entry->d_name + strlen(name);
        if (process <= 0 || (*name && !named)) continue;
        add_writer(writer, sizeof writer, process);
        if (strcmp(tmp, writer) || !kill((pid_t)process, 0) || errno != ESRCH) continue;
        (void)unlinkat(dirfd(all), entry->d_name, 0);
    }
    if (all) closedir(all);
}

static void sweep_beside(const char *path) {
    char *folder = mem_text(path), *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    sweep(!slash ? "." : slash == folder ? "/" : folder, slash ? slash + 1 : path);
    free(folder);
}

static Rc write_whole(const char *path, const FilePart *part, int parts, Error *e) {
    char writer[96];
    add_writer(writer, sizeof writer, (long)getpid());
    size_t room = strlen(path) + sizeof writer;
    OWNED char *aside = mem_alloc(room, 1);
    snprintf(aside, room, "%s%s", path, writer);
    int fd = file_open(aside, O_WRONLY | O_CREAT | O_TRUNC);
    Rc rc = RC_OK;
    if (fd < 0) {
        rc = error_set(e, RC_UNMEASURED, "%s: cannot write: %s", path, strerror(errno));
        return rc;
    }
    int failed = write_parts(fd, part, parts) || file_sync(fd);
    int why = errno;
    if (close(fd) && !failed) failed = 1, why = errno;
    if (failed)
        rc = error_set(e, RC_UNMEASURED, "%s: cannot write: %s", path, strerror(why));
    else if (!(rc = read_back(aside, path, part, parts, e)) && (rename(aside, path) || sync_parent(path)))
        rc = error_set(e, RC_UNMEASURED, "%s: cannot write: %s", path, strerror(errno));
    if (rc) unlink(aside);
    return rc;
}

Rc file_write_parts(const char *path, const FilePart *part, int parts, Error *e) {
    sweep_beside(path);
    return write_whole(path, part, parts, e);
}

Rc file_write(const char *path, const void *bytes, size_t length, Error *e) {
    return file_write_parts(path, &(FilePart){bytes, length}, 1, e);
}

Rc file_write_swept(const char *path, const void *bytes, size_t length, Error *e) {
    return write_whole(path, &(FilePart){bytes, length}, 1, e);
}

Rc folder_make(const char *path, Error *e) {
    OWNED char *partial = mem_text(path);
    Rc rc = RC_OK;
    for (char *s = partial + 1;; s++) {
        if (*s && *s != '/') continue;
        char held = *s;
        *s = 0;
        struct stat there;
        int why = mkdir(partial, 0777) || sync_parent(partial) ? errno : 0;
        if (why == EEXIST) why = stat(partial, &there) ? errno : S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
        if (why) {
            rc = error_set(e, RC_UNMEASURED, "%s: cannot make folder %s: %s", path, partial, strerror(why));
            break;
        }
        *s = held;
        if (!held) break;
    }
    return rc;
}

Rc folder_make_own(const char *path, Error *e) {
    struct stat is;
    if (lstat(path, &is) || !S_ISLNK(is.st_mode)) return folder_make(path, e);
    return error_set(e, RC_USAGE, "%s: a symbolic link, and files are not written through links; remove it", path);
}

Rc folder_publish(const char *from, const char *to, Error *e) {
    if (!rename(from, to)) {
        if (sync_parent(to)) return error_set(e, RC_UNMEASURED, "%s: cannot sync: %s", to, strerror(errno));
        return RC_OK;
    }
    if (errno != ENOTEMPTY && errno != EEXIST)
        return error_set(e, RC_UNMEASURED, "%s: cannot move into place: %s", to, strerror(errno));
    folder_remove(from);
    return RC_OK;
}

bool output_flush(int *why) {
    static int kept;
    errno = 0;
    bool written = !fflush(stdout);
    if (!written && !kept) kept = errno;
    if (why) *why = kept;
    return written && !ferror(stdout);
}

void folder_remove(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder));) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(path);
}

int folder_names(const char *folder, const char *ending, char ***names) {
    struct dirent **found;
    int count = 0, files = scandir(folder, &found, NULL, NULL);
    if (files < 0 && errno != ENOENT && errno != ENOTDIR) {
        fprintf(stderr, "normbench: %s: cannot list the folder: %s\n", folder, strerror(errno));
        exit(RC_UNMEASURED);
    }
    size_t end = strlen(ending);
    *names = mem_alloc(files > 0 ? (size_t)files : 1, sizeof **names);
    for (int i = 0; i < files; i++) {
        size_t n = strlen(found[i]->d_name);
        if (n > end && !strcmp(found[i]->d_name + n - end, ending)) {
            found[i]->d_name[n - end] = 0;
            (*names)[count++] = mem_text(found[i]->d_name);
        }
        free(found[i]);
    }
    if (files >= 0) free(found);
    /* "a" before "a-b", though "a-b.yaml" is before "a.yaml" */
    qsort(*names, (size_t)count, sizeof **names, name_order);
    return count;
}

void folder_sweep(const char *path) {
    sweep(path, "");
}

bool folder_filled(const char *path) {
    char **names;
    int count = folder_names(path, "", &names), files = 0;
    for (int i = 0; i < count; i++) files += strcmp(names[i], ".") && strcmp(names[i], "..");
    names_free(names, count);
    return files > 0;
}

void names_free(char **names, int count) {
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
}
