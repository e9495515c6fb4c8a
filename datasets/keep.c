#include "datasets/keep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

static void rejected_name(Text *out, const char *path, const char *hash) {
    text_init(out);
    text_format(out, "%s.rejected-%.8s", path, hash);
}

void keep_reject(const char *path, const char *hash, const char *next, Error *e) {
    Text aside;
    rejected_name(&aside, path, hash);
    if (rename(path, aside.at))
        error_add(e, "; it cannot be moved aside (%s), remove it", strerror(errno));
    else
        error_add(e, "; moved to %s, the next run %s", aside.at, next);
    text_release(&aside);
}

Rc keep_store(const char *path, const void *bytes, size_t length, Error *e) {
    char *folder = mem_text(path), *slash = strrchr(folder, '/');
    Rc rc = RC_OK;
    if (slash && slash != folder) {
        *slash = 0;
        rc = folder_make(folder, e);
        if (!rc) folder_sweep(folder);
    }
    free(folder);
    return rc ? rc : file_write(path, bytes, length, e);
}

void keep_rejected(const char *path, const char *hash, const void *bytes, size_t length, Error *e) {
    Text aside;
    Error ignored;
    rejected_name(&aside, path, hash);
    if (!keep_store(aside.at, bytes, length, &ignored)) error_add(e, "; kept as %s", aside.at);
    text_release(&aside);
}
