/* The order in which bytes become durable: the file is synced before it is renamed, the folder after. This program's
 * own fsync, rename and write stand in front of libc's, note what happens, and fail when a test asks them to. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/test.h"

static char happened[64];
static const char *failing = "";
static int watching; /* only our own calls are meddled with, not the test framework's */

static int note(char what) {
    size_t n = strlen(happened);
    if (n + 1 < sizeof happened) happened[n] = what, happened[n + 1] = 0;
    if (!strchr(failing, what)) return 0;
    errno = ENOSPC;
    return -1;
}

int fsync(int fd) {
    struct stat s;
    fstat(fd, &s);
    return note(S_ISDIR(s.st_mode) ? 'd' : 'f') ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to) {
    return note('r') ? -1 : (int)syscall(SYS_renameat2, -100, from, -100, to, 0);
}

/* One byte at a time, and every third call interrupted. */
ssize_t write(int fd, const void *bytes, size_t length) {
    static int calls;
    if (watching && strchr(failing, 'w')) {
        errno = ENOSPC;
        return -1;
    }
    if (watching && ++calls % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_write, fd, bytes, watching && length > 1 ? 1 : length);
}

static char folder[64], path[96];

static void enter(void) {
    strcpy(folder, "/tmp/normbench-files-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    happened[0] = 0;
    failing = "";
}

static void leave(void) {
    unlink(path);
    cr_assert_eq(rmdir(folder), 0, "something was left in the folder");
}

static Rc watched_write(const char *to, const char *text, Error *e) {
    watching = 1;
    Rc rc = file_write(to, text, strlen(text), e);
    watching = 0;
    return rc;
}

static void holds(const char *text) {
    OWNED char *bytes = file_text(path);
    cr_assert_str_eq(bytes, text);
}

Test(files, sync_rename_sync, .init = enter, .fini = leave) {
    OK(watched_write(path, "whole", &e));
    cr_assert_str_eq(happened, "frd");
    holds("whole");
}

Test(files, a_failure_changes_nothing, .init = enter, .fini = leave) {
    OK(watched_write(path, "old", &e));
    for (const char *at = "wfr"; *at; at++) {
        char one[2] = {*at, 0};
        failing = one;
        cr_assert_eq(watched_write(path, "new", &e), RC_UNMEASURED);
        cr_assert(strstr(e.text, "No space left"), "%s", e.text);
        failing = "";
        holds("old");
    }
}

/* A published folder is renamed and its parent synced; the one that stands already wins. */
Test(files, folders_are_published, .init = enter) {
    char from[96], to[96], inside[128];
    for (int turn = 0; turn < 2; turn++) {
        snprintf(from, sizeof from, "%s/from", folder);
        snprintf(to, sizeof to, "%s/to", folder);
        snprintf(inside, sizeof inside, "%s/x", from);
        OK(folder_make(from, &e));
        OK(watched_write(inside, turn ? "second" : "first", &e));
        happened[0] = 0;
        OK(folder_publish(from, to, &e));
        if (!turn) cr_assert_str_eq(happened, "rd");
        cr_assert_not(file_exists(from));
    }
    snprintf(path, sizeof path, "%s/to/x", folder);
    holds("first");
    folder_remove(to);
    cr_assert_eq(rmdir(folder), 0);
}

Test(files, what_does_not_end_or_does_not_fit_is_refused, .init = enter, .fini = leave) {
    char *bytes;
    size_t length;
    cr_assert_eq(file_read("/dev/zero", &bytes, &length, &e), RC_UNMEASURED);
    cr_assert_str_eq(e.text, "/dev/zero: it is longer than 1 GiB");
    OK(file_write(path, "x", 1, &e));
    cr_assert_eq(truncate(path, (off_t)1 << 42), 0); /* 4 TiB of holes */
    cr_assert_eq(file_read(path, &bytes, &length, &e), RC_UNMEASURED);
    cr_assert(strstr(e.text, ": the file has 4096.0 GiB, this machine "), "%s", e.text);
}
