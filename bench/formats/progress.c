#include "bench/formats/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

char *format_duration(char *out, double seconds) {
    long s = (long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(out, 32, "%ld h %02ld min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(out, 32, "%ld min %02ld s", s / 60, s % 60);
    else
        snprintf(out, 32, "%ld s", s);
    return out;
}

void progress_init(Progress *p, double total, int jobs) {
    *p = (Progress){.total = total, .jobs = jobs, .started = now(), .terminal = isatty(STDERR_FILENO)};
    pthread_mutex_init(&p->lock, NULL);
}

static void draw(Progress *p) {
    enum { WIDTH = 28 };
    char bar[WIDTH + 1], left[32] = "?", took[32];
    double share = p->total > 0 ? p->done / p->total : 1, elapsed = now() - p->started, worked = p->done - p->skipped;
    int full = (int)(share * WIDTH);
    for (int i = 0; i < WIDTH; i++) bar[i] = i < full ? '#' : '.';
    bar[WIDTH] = 0;
    if (worked > 0) format_duration(left, (p->total - p->done) * elapsed / worked);
    fprintf(stderr, "\r[%s] %3.0f%%  %d/%d runs  %s, %s left\033[K", bar, 100 * share, p->finished, p->jobs,
            format_duration(took, elapsed), left);
    fflush(stderr);
    p->shown = now();
}

void progress_add(Progress *p, double work, bool resumed) {
    pthread_mutex_lock(&p->lock);
    p->done += work;
    if (resumed) p->skipped += work;
    if (p->terminal && now() - p->shown > 0.2) draw(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_finish_job(Progress *p, const char *line) {
    pthread_mutex_lock(&p->lock);
    p->finished++;
    if (p->terminal) fprintf(stderr, "\r\033[K");
    fprintf(stderr, "%3d/%d  %s\n", p->finished, p->jobs, line);
    if (p->terminal) draw(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_note(Progress *p, const char *line) {
    pthread_mutex_lock(&p->lock);
    if (p->terminal) fprintf(stderr, "\r\033[K");
    fprintf(stderr, "normbench: %s\n", line);
    if (p->terminal) draw(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_end(Progress *p) {
    if (p->terminal) fprintf(stderr, "\r\033[K");
    pthread_mutex_destroy(&p->lock);
}
