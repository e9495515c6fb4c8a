#include "base/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "normbench-scratch."
enum { KEPT = 8 }; /* folders of a process that exit removes; others are left to the next scratch_make */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk) {
    (void)info, (void)type, (void)walk;
    (void)remove(path);
    return 0;
}

static void remove_all(const char *path) {
    (void)nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Lock the folder; return the descriptor, or -1: another process has it, or it is gone. Without locks in the file
 * system, use cannot be told: its maker has it and nobody removes it. */
static int hold(const char *path, bool mine) {
    struct stat info;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -1;
    bool locked = !flock(fd, LOCK_EX | LOCK_NB);
    if (!locked) locked = mine && errno != EWOULDBLOCK;
    if (locked && !fstat(fd, &info) && info.st_nlink && info.st_uid == geteuid()) return fd;
    close(fd);
    return -1;
}

/* Folders of this process: exit() removes those that are left when a command ends early. */
static struct {
    pid_t owner; /* 0: the entry is free */
    char path[sizeof((Scratch *)0)->path];
} kept[KEPT];

static void remove_kept(void) {
    for (int i = 0; i < KEPT; i++)
        if (kept[i].owner == getpid()) remove_all(kept[i].path);
}

static void keep(const char *path) {
    static bool registered;
    for (int i = 0; i < KEPT; i++) {
        if (kept[i].owner) continue;
        kept[i].owner = getpid();
        memcpy(kept[i].path, path, sizeof kept[i].path);
        break;
    }
    if (!registered) registered = !atexit(remove_kept);
}

static void let_go(const char *path) {
    for (int i = 0; i < KEPT; i++)
        if (kept[i].owner == getpid() && !strcmp(kept[i].path, path)) kept[i].owner = 0;
}

static void sweep(const char *base) {
    char path[600];
    DIR *all = opendir(base);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1)) continue;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", base, entry->d_name) >= sizeof path) continue;
        int fd = hold(path, false);
        if (fd < 0) continue;
        remove_all(path);
        close(fd);
    }
    if (all) closedir(all);
}

Rc scratch_make(Scratch *s, Error *e) {
    const char *base = getenv("TMPDIR");
    if (!base || !base[0]) base = "/tmp";
    sweep(base);
    /* between making and locking it, another process may take it for an abandoned one */
    for (int attempt = 0; attempt < 10; attempt++) {
        if ((size_t)snprintf(s->path, sizeof s->path, "%s/" PREFIX "XXXXXX", base) >= sizeof s->path)
            return error_set(e, RC_UNMEASURED, "$TMPDIR: too long");
        if (!mkdtemp(s->path)) break;
        s->lock = hold(s->path, true);
        if (s->lock >= 0) {
            keep(s->path);
            return RC_OK;
        }
        int why = errno;
        remove_all(s->path);
        errno = why;
    }
    return error_set(e, RC_UNMEASURED, "%s: cannot make folder: %s", s->path, strerror(errno));
}

void scratch_remove(Scratch *s) {
    let_go(s->path);
    remove_all(s->path);
    close(s->lock);
}
