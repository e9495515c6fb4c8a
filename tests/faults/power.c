/* What a power cut takes away; see fault.h. Paths are whole. A name is durable once its folder was synced after it came
 * or went; data are durable once the file was synced after they were written. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/faults/fault.h"

typedef enum { NAME_CREATED, NAME_MADE, NAME_MOVED, NAME_GONE } Change;
typedef struct {
    Change change;
    char path[512], from[512]; /* from: what it was called */
    char kept[512];            /* what stood at path before, "" for nothing */
} Name;
typedef struct {
    char path[512];
    off_t synced;
} File;
enum { NAMES = 1024, FILES = 256 };
static Name names[NAMES];
static File files[FILES];
static int name_count, file_count, kept_count;

/* Plain system calls: what undoes a change is not itself counted. */
static int sys_rename(const char *from, const char *to) {
    return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

static int sys_unlink(const char *path, int flags) {
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, flags);
}

static int sys_link(const char *from, const char *to) {
    return (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int is_within(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

static void set(char to[512], const char *text) {
    if (snprintf(to, 512, "%s", text) >= 512) abort(); /* the loops use short paths */
}

/* Keeps what stands at path beside the tree, so that it can come back: FAULT_KEEP is a folder of the same disk. */
static void keep(Name *n, const char *path) {
    const char *folder = getenv("FAULT_KEEP");
    if (!folder) return;
    snprintf(n->kept, sizeof n->kept, "%s/%d.%ld", folder, kept_count++, (long)getpid());
    if (sys_link(path, n->kept)) n->kept[0] = 0;
}

static Name *add(Change change, const char *path) {
    if (name_count == NAMES) abort();
    Name *n = &names[name_count++];
    *n = (Name){.change = change};
    set(n->path, path);
    return n;
}

void power_created(const char *path) {
    add(NAME_CREATED, path);
}

void power_made(const char *path) {
    add(NAME_MADE, path);
}

void power_linked(const char *to) {
    add(NAME_CREATED, to);
}

void power_unlinks(const char *path) {
    keep(add(NAME_GONE, path), path);
    for (int i = 0; i < file_count; i++)
        if (!strcmp(files[i].path, path)) files[i--] = files[--file_count];
}

static void moved(char path[512], const char *from, const char *to) {
    char tail[512];
    if (!is_within(path, from)) return;
    set(tail, path + strlen(from));
    if (snprintf(path, 512, "%s%s", to, tail) >= 512) abort();
}

void power_renames(const char *from, const char *to) {
    for (int i = 0; i < file_count; i++)
        if (!strcmp(files[i].path, to)) files[i--] = files[--file_count];
    for (int i = 0; i < file_count; i++) moved(files[i].path, from, to);
    Name *n = add(NAME_MOVED, to);
    set(n->from, from);
    keep(n, to);
}

void power_writes(const char *path, off_t size_before) {
    for (int i = 0; i < file_count; i++)
        if (!strcmp(files[i].path, path)) return;
    if (file_count == FILES) abort();
    set(files[file_count].path, path);
    files[file_count++].synced = size_before;
}

/* Of a file its data, of a folder the names in it. */
void power_synced(const char *path) {
    int kept = 0;
    for (int i = 0; i < file_count; i++)
        if (!strcmp(files[i].path, path)) files[i--] = files[--file_count];
    for (int i = 0; i < name_count; i++) {
        const char *slash = strrchr(names[i].path, '/');
        size_t n = strlen(path);
        if (slash && (size_t)(slash - names[i].path) == n && !strncmp(names[i].path, path, n)) continue;
        if (kept != i) names[kept] = names[i];
        kept++;
    }
    name_count = kept;
}

static void remove_all(const char *path) {
    char command[600];
    if (snprintf(command, sizeof command, "exec /bin/rm -rf -- '%s'", path) >= (int)sizeof command) abort();
    if (system(command)) abort();
}

static void undo(const Name *n) {
    switch (n->change) {
    case NAME_CREATED: sys_unlink(n->path, 0); break;
    case NAME_MADE: remove_all(n->path); break;
    case NAME_MOVED:
        sys_rename(n->path, n->from);
        if (n->kept[0]) sys_rename(n->kept, n->path);
        break;
    case NAME_GONE:
        if (n->kept[0]) sys_link(n->kept, n->path); /* another of that name may have come, and stays */
        break;
    }
}

void power_cut(int names_too) {
    for (int i = 0; i < file_count; i++) {
        struct stat info;
        if (stat(files[i].path, &info) || info.st_size < files[i].synced) continue;
        off_t more = names_too ? 0 : (info.st_size - files[i].synced) / 2;
        if (truncate(files[i].path, files[i].synced + more)) abort();
    }
    for (int i = name_count; names_too && i-- > 0;) undo(&names[i]);
}
