#include "bench/run/cluster/share.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/formats/json.h"

/* ---- who ---- */

/* Read the first line of a file of /proc; "": there is none. Retry failures: without it no process is known, and stale
 * leases are waited for. */
static void first_line(char *out, size_t size, const char *path) {
    out[0] = 0;
    for (int attempt = 0; attempt < 3 && !out[0]; attempt++) {
        FILE *f = fopen(path, "re");
        if (!f && errno == ENOENT) return;
        if (f && !fgets(out, (int)size, f)) out[0] = 0;
        if (f) fclose(f);
    }
    out[strcspn(out, "\n")] = 0;
}

/* Read a process's state and start from /proc; false: not found. */
static bool process_stat(int64_t pid, char *state, int64_t *start) {
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    first_line(line, sizeof line, path);
    const char *at = strrchr(line, ')'); /* the name before it may have any character */
    if (!at || sscanf(at, ") %c", state) != 1) return false;
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    *start = at ? strtoll(at, NULL, 10) : 0;
    return true;
}

static Owner myself(void) {
    Owner me = {.pid = getpid()};
    char state;
    if (gethostname(me.host, sizeof me.host)) me.host[0] = 0;
    me.host[sizeof me.host - 1] = 0;
    first_line(me.boot, sizeof me.boot, "/proc/sys/kernel/random/boot_id");
    ssize_t n = readlink("/proc/self/ns/pid", me.space, sizeof me.space - 1);
    me.space[n > 0 ? n : 0] = 0;
    if (!process_stat(me.pid, &state, &me.start)) me.start = 0;
    return me;
}

static bool same_place(const Owner *a, const Owner *b) {
    return !strcmp(a->host, b->host) && !strcmp(a->boot, b->boot) && !strcmp(a->space, b->space);
}

static bool same_owner(const Owner *a, const Owner *b) {
    return same_place(a, b) && a->pid == b->pid && a->start == b->start;
}

/* Return true if a process of this namespace runs. Processes that /proc hides (hidepid) still answer to kill. */
static bool process_runs(const Owner *o) {
    char state;
    int64_t start;
    if (process_stat(o->pid, &state, &start))
        return state != 'Z' && state != 'X' && (!o->start || !start || start == o->start);
    return !kill((pid_t)o->pid, 0) || errno != ESRCH;
}

char *share_owner(char out[96], const Lease *c) {
    Owner me = myself();
    if (!c->owner.pid)
        snprintf(out, 96, "somebody");
    else if (!strcmp(me.host, c->owner.host))
        snprintf(out, 96, "pid %" PRId64, c->owner.pid);
    else
        snprintf(out, 96, "pid %" PRId64 " on %.60s", c->owner.pid, c->owner.host);
    return out;
}

/* ---- files ---- */

static char *path_of(char out[1400], const char *folder, const char *id, const char *ending) {
    snprintf(out, 1400, "%.1000s/.partial/%s%s", folder, id, ending);
    return out;
}

#define ROW(member) JSON_FIELD(Lease, member)
#define OWNER(member) JSON_FIELD_AS(#member, Lease, owner.member)
static const JsonField fields[] = {
    ROW(id),     ROW(spec_sha256), ROW(experiment), ROW(profile), ROW(what),    ROW(steps),  ROW(from),
    ROW(since),  OWNER(host),      OWNER(boot),     OWNER(space), OWNER(pid),   OWNER(start), {0}};
static const JsonField reason[] = {ROW(left), ROW(failed), {0}};

static char *text_of(const Lease *c) {
    json_t *root = json_put(json_object(), fields, c);
    char *text = json_dumps(c->left[0] ? json_put(root, reason, c) : root, JSON_INDENT(1));
    json_decref(root);
    return text;
}

/* Read a lease; now: by the file system's clock. False: there is none. */
static bool read_lease(const char *path, const Owner *me, double now, Lease *c) {
    struct stat at;
    Error ignored;
    char *bytes;
    size_t length;
    json_auto_t *root = NULL;
    *c = (Lease){0};
    if (stat(path, &at)) return false;
    if (!file_read(path, &bytes, &length, &ignored)) {
        root = json_loadb(bytes, length, 0, NULL);
        free(bytes);
    } else if (!file_exists(path)) /* released meanwhile */
        return false;
    (void)json_take(c, fields, root), (void)json_take(c, reason, root);
    c->heard = fabs(now - (double)at.st_mtim.tv_sec);
    c->age = now - (double)c->since;
    bool here = root && c->owner.pid > 0 && same_place(me, &c->owner);
    c->alive = !c->left[0] && (here ? process_runs(&c->owner) : c->heard < SHARE_SILENCE);
    return true;
}

/* Return the time by the clock of the folder's file system, which may differ from this machine's by hours; this
 * machine's if nothing can be written. */
static double file_clock(const char *folder) {
    char path[1400];
    struct stat at;
    snprintf(path, sizeof path, "%.1000s/.clock.%ld", folder, (long)getpid());
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool told = fd >= 0 && !fstat(fd, &at);
    if (fd >= 0) close(fd), unlink(path);
    return told ? (double)at.st_mtim.tv_sec : (double)time(NULL);
}

/* Write c beside its lease under a name that no other process has; *now: the file system's time. */
static bool write_aside(char path[1400], const char *folder, const Lease *c, double *now) {
    static atomic_int nth;
    char ending[160];
    struct stat at;
    OWNED char *text = text_of(c);
    snprintf(ending, sizeof ending, ".aside.%s.%" PRId64 ".%" PRId64 ".%d", c->owner.host, c->owner.pid, c->owner.start,
             atomic_fetch_add(&nth, 1));
    FILE *f = text ? fopen(path_of(path, folder, c->id, ending), "we") : NULL;
    bool good = f && fputs(text, f) >= 0 && fputc('\n', f) >= 0 && !fflush(f) && !fstat(fileno(f), &at);
    if (f && fclose(f)) good = false;
    if (good) *now = (double)at.st_mtim.tv_sec;
    if (f && !good) unlink(path);
    return good;
}

/* Move a stale lease away. False: it is another process's now, and is put back. */
static bool move_stale_lease(const char *hold, const char *aside, const Owner *me, const Lease *stale, double now) {
    char moved[1440];
    Lease found;
    snprintf(moved, sizeof moved, "%s.dead", aside);
    if (rename(hold, moved)) return errno == ENOENT;
    bool right = read_lease(moved, me, now, &found) && (!found.alive || same_owner(&found.owner, &stale->owner));
    if (!right) (void)!link(moved, hold);
    unlink(moved);
    return right;
}

/* ---- the holds of this process ---- */

static void *keep(void *argument) {
    Leases *s = argument;
    char path[1400];
    pthread_mutex_lock(&s->lock);
    while (!s->ended) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until); /* the real-time clock may be set while runs train */
        until.tv_sec += SHARE_BEAT;
        pthread_cond_timedwait(&s->wake, &s->lock, &until);
        for (int i = 0; i < s->count; i++)
            (void)utimensat(AT_FDCWD, path_of(path, s->folder, s->held[i], ".hold"), NULL, 0);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void share_open(Leases *s, const char *folder) {
    *s = (Leases){.me = myself()};
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&s->wake, &clock);
    pthread_condattr_destroy(&clock);
    s->keeping = !pthread_create(&s->keeper, NULL, keep, s);
}

static void unlink_mine(const Leases *s, const char *id) {
    char path[1400];
    Lease c;
    if (read_lease(path_of(path, s->folder, id, ".hold"), &s->me, 0, &c) && same_owner(&c.owner, &s->me)) unlink(path);
}

static void forget(Leases *s, const char *id) {
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->held[i], id)) memmove(s->held[i], s->held[--s->count], SHA256_HEX);
    pthread_mutex_unlock(&s->lock);
}

void share_close(Leases *s) {
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    if (s->keeping) pthread_join(s->keeper, NULL);
    while (s->count) unlink_mine(s, s->held[--s->count]);
    free(s->held);
    pthread_cond_destroy(&s->wake);
    pthread_mutex_destroy(&s->lock);
}

/* Publish the lease by link(), which fails with EEXIST for all processes but one; without links, by open(O_EXCL). */
static bool publish(const char *aside, const char *hold, bool *exists) {
    *exists = false;
    if (!link(aside, hold)) return true;
    *exists = errno == EEXIST;
    if (*exists || (errno != EPERM && errno != ENOTSUP && errno != ENOSYS && errno != EMLINK)) return false;
    int fd = open(hold, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *exists = fd < 0 && errno == EEXIST;
    if (fd < 0) return false;
    close(fd);
    return !rename(aside, hold);
}

/* Return the file system's time by the difference last seen. */
static int64_t file_now(Leases *s) {
    pthread_mutex_lock(&s->lock);
    int64_t now = time(NULL) + (int64_t)s->ahead;
    pthread_mutex_unlock(&s->lock);
    return now;
}

bool share_take(Leases *s, const Lease *what, Lease *theirs) {
    char aside[1400], hold[1400], left[1400];
    Error ignored;
    Lease mine = *what;
    double now;
    bool taken = false, others = false;
    mine.owner = s->me, mine.since = file_now(s), mine.left[0] = 0;
    snprintf(left, sizeof left, "%.1000s/.partial", s->folder);
    for (int attempt = 0; attempt < 5 && !taken && !others; attempt++) {
        bool exists;
        /* another process that stores its last run may remove the empty folder */
        if (folder_make_own(left, &ignored) || !write_aside(aside, s->folder, &mine, &now)) continue;
        path_of(hold, s->folder, mine.id, ".hold");
        pthread_mutex_lock(&s->lock);
        s->ahead = now - (double)time(NULL);
        pthread_mutex_unlock(&s->lock);
        taken = publish(aside, hold, &exists);
        if (exists && read_lease(hold, &s->me, now, theirs)) {
            if (same_owner(&theirs->owner, &s->me))
                taken = true;
            else if (theirs->alive)
                others = true;
            else
                (void)move_stale_lease(hold, aside, &s->me, theirs, now);
        }
        unlink(aside);
    }
    if (others) return false;
    if (taken) unlink(path_of(left, s->folder, mine.id, ".left"));
    pthread_mutex_lock(&s->lock);
    s->held = mem_grow(s->held, (size_t)s->count + 1, sizeof *s->held);
    memcpy(s->held[s->count++], mine.id, SHA256_HEX);
    pthread_mutex_unlock(&s->lock);
    return true;
}

void share_began(Leases *s, const Lease *what, int step) {
    char aside[1400], hold[1400];
    Lease mine = *what, found;
    double now;
    mine.owner = s->me, mine.since = file_now(s), mine.from = step;
    if (!read_lease(path_of(hold, s->folder, mine.id, ".hold"), &s->me, 0, &found) ||
        !same_owner(&found.owner, &s->me) || !write_aside(aside, s->folder, &mine, &now))
        return;
    if (rename(aside, hold)) unlink(aside);
}

void share_drop(Leases *s, const Lease *what, const char *why, bool failed) {
    char aside[1400], left[1400];
    Lease mine = *what;
    double now;
    if (why) {
        mine.owner = s->me, mine.since = file_now(s), mine.failed = failed;
        snprintf(mine.left, sizeof mine.left, "%s", why);
        if (write_aside(aside, s->folder, &mine, &now) && rename(aside, path_of(left, s->folder, mine.id, ".left")))
            unlink(aside);
    }
    forget(s, mine.id);
    unlink_mine(s, mine.id);
}

bool share_held(Leases *s, const char *id, Lease *theirs) {
    char path[1400];
    return read_lease(path_of(path, s->folder, id, ".hold"), &s->me, (double)file_now(s), theirs) && theirs->alive &&
           !same_owner(&theirs->owner, &s->me);
}

static int by_id(const void *a, const void *b) {
    const Lease *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    return order ? order : (x->left[0] != 0) - (y->left[0] != 0);
}

int share_list(const char *folder, Lease **all) {
    static const char *const endings[] = {".hold", ".left"};
    char within[1100], path[1400], **names;
    Owner me = myself();
    int count = 0;
    double now = 0;
    *all = NULL;
    snprintf(within, sizeof within, "%.1000s/.partial", folder);
    for (int k = 0; k < 2; k++) {
        int n = folder_names(within, endings[k], &names);
        if (n && !(now > 0)) now = file_clock(within);
        for (int i = 0; i < n; i++) {
            *all = mem_grow(*all, (size_t)count + 1, sizeof **all);
            Lease *c = &(*all)[count];
            if (strlen(names[i]) == SHA256_HEX - 1 &&
                read_lease(path_of(path, folder, names[i], endings[k]), &me, now, c) && !strcmp(c->id, names[i]))
                count++;
        }
        names_free(names, n);
    }
    if (count) qsort(*all, (size_t)count, sizeof **all, by_id);
    return count;
}
