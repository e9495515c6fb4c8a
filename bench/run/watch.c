#include "bench/run/watch.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/formats/progress.h"

static char *path_of(char out[1200], const char *folder, const char *id) {
    snprintf(out, 1200, "%.1000s/.partial/%s.curves.csv", folder, id);
    return out;
}

/* Write new rows: the whole file by file_write, or an append of whole lines in one write. */
static void flush_rows(Watch *w, const char *folder, const RunRecord *r, bool anew) {
    char path[1200], parent[1200];
    Error ignored;
    LOCAL_TEXT(text);
    path_of(path, folder, r->id);
    snprintf(parent, sizeof parent, "%.1000s/.partial", folder);
    if (anew) {
        curves_text(&r->curves, &text);
        if (!folder_make_own(parent, &ignored)) (void)file_write(path, text.at, text.length, &ignored);
    } else {
        curves_rows_text(&r->curves, w->written, &text);
        int fd = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
        bool whole = fd >= 0 && write(fd, text.at, text.length) == (ssize_t)text.length;
        if (fd >= 0) close(fd);
        if (!whole) { /* next time write all of it again */
            w->running = false;
            return;
        }
    }
    w->written = r->curves.rows, w->evaluations = r->evaluations, w->flushed = clock_now();
}

void watch_row(Watch *w, const char *folder, const RunRecord *r, int step, bool last) {
    bool anew = !w->running;
    if (anew) *w = (Watch){.running = true};
    w->step = step;
    w->loss = curve_at(&r->curves, r->curves.rows - 1, CURVE_train_loss);
    if (anew || last || r->evaluations != w->evaluations || clock_now() - w->flushed >= 1)
        flush_rows(w, folder, r, anew);
}

void watch_end(Watch *w, const char *folder, const char *id, bool stored) {
    char path[1200];
    w->running = false;
    if (stored) unlink(path_of(path, folder, id));
}

char *watch_summary(char out[96], const Watch *w, int count) {
    int running = 0;
    double least = (double)INFINITY, most = -(double)INFINITY;
    for (int i = 0; i < count; i++) {
        if (!w[i].running) continue;
        running++;
        least = fmin(least, w[i].loss), most = fmax(most, w[i].loss); /* both ignore NaN */
    }
    int n = running ? snprintf(out, 96, "%d running", running) : 0;
    out[n] = 0;
    if (!running || least > most) return out;
    if (running == 1)
        snprintf(out, 96, "loss %.4f", least);
    else
        snprintf(out + n, 96 - (size_t)n, ", loss %.4f .. %.4f", least, most);
    return out;
}

bool watch_read(const char *folder, const char *id, int *step, double *loss, double *valid, double *age) {
    char path[1200], *bytes;
    size_t length;
    struct stat at;
    Error ignored;
    Curves c;
    path_of(path, folder, id);
    if (stat(path, &at) || file_read(path, &bytes, &length, &ignored)) return false;
    while (length && bytes[length - 1] != '\n') bytes[--length] = 0; /* a line still being written */
    bool good = !curves_read(&c, bytes, &ignored) && c.rows;
    *age = difftime(time(NULL), at.st_mtime), *step = 0, *loss = *valid = (double)NAN;
    for (int row = 0; good && row < c.rows; row++) {
        double v = curve_at(&c, row, CURVE_valid_loss);
        *step = (int)curve_at(&c, row, CURVE_step) + 1, *loss = curve_at(&c, row, CURVE_train_loss);
        if (!isnan(v)) *valid = v;
    }
    free(bytes);
    free(c.value);
    return good;
}

int watch_pause(int runs) {
    int pause = runs / WATCH_LOOKS;
    return pause < WATCH_PAUSE ? WATCH_PAUSE : pause;
}
