#include "bench/formats/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "bench/formats/terminal.h"

/* The weight of what was foretold beside what is measured, as a share of the work: the first steps take longer. */
#define FORETOLD .05

double clock_now(void) {
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

int terminal_columns(int fd, int *rows) {
    struct winsize size = {0};
    const char *columns = getenv("COLUMNS");
    (void)ioctl(fd, TIOCGWINSZ, &size);
    if (rows) *rows = size.ws_row ? size.ws_row : 24;
    if (size.ws_col) return size.ws_col;
    int given = columns ? atoi(columns) : 0;
    return given > 0 ? given : 80;
}

bool terminal_draws(int fd) {
    const char *kind = getenv("TERM");
    return isatty(fd) && kind && *kind && strcmp(kind, "dumb") != 0;
}

void progress_init(Progress *p, double total, int jobs) {
    *p = (Progress){.total = total, .jobs = jobs, .started = clock_now(), .every = 60};
    p->terminal = terminal_draws(STDERR_FILENO);
    p->shown = p->started;
    pthread_mutex_init(&p->lock, NULL);
}

void progress_line(const Progress *p, int columns, char *out, size_t size) {
    enum { WIDEST = 28, NARROWEST = 8, MOST = 256 };
    char left[32] = "?", took[32], text[MOST], bar[WIDEST + 1];
    const double now = clock_now(), elapsed = now - p->started, worked = p->done - p->skipped - p->first;
    double share = p->total > 0 ? p->done / p->total : 1;
    const char *blank = p->state[0] ? "  " : "";
    if (share > 1) share = 1;
    const double since = p->first > 0 ? now - p->began : p->expected > 0 ? 0 : elapsed;
    const double all = p->total - p->skipped, known = p->expected > 0 ? FORETOLD * all : 0;
    if (worked + known > 0)
        format_duration(left, (p->total - p->done) * (since + FORETOLD * p->expected) / (worked + known));
    format_duration(took, elapsed);
    snprintf(text, sizeof text, "%3.0f%%  %d/%d runs%s%s  %s, %s left", 100 * share, p->finished, p->jobs, blank,
             p->state, took, left);
    if ((int)strlen(text) > columns)
        snprintf(text, sizeof text, "%3.0f%%  %d/%d runs%s%s  %s left", 100 * share, p->finished, p->jobs, blank,
                 p->state, left);
    if ((int)strlen(text) > columns)
        snprintf(text, sizeof text, "%3.0f%%  %d/%d runs  %s left", 100 * share, p->finished, p->jobs, left);
    int room = columns - (int)strlen(text) - 3, full;
    if (room > WIDEST) room = WIDEST;
    if (room < NARROWEST || !p->terminal) room = 0;
    full = (int)(share * room);
    for (int i = 0; i < room; i++) bar[i] = i < full ? '#' : '.';
    bar[room] = 0;
    snprintf(out, size, "%s%s%s%s", room ? "[" : "", bar, room ? "] " : "", text);
    if (columns >= 0 && (size_t)columns < size) out[columns] = 0;
}

/* Draw the line, leaving one column free: a terminal may go on to the next line after its last column. */
static void draw(Progress *p) {
    char line[320];
    progress_line(p, p->terminal ? terminal_columns(STDERR_FILENO, NULL) - 1 : 300, line, sizeof line);
    fprintf(stderr, p->terminal ? "\r%s\033[K" : "%s\n", line + (p->terminal ? 0 : strspn(line, " ")));
    fflush(stderr);
    p->shown = clock_now();
}

void progress_before(Progress *p, double work, int jobs) {
    p->done += work, p->skipped += work, p->finished += jobs;
}

void progress_add(Progress *p, double work, bool resumed) {
    pthread_mutex_lock(&p->lock);
    p->done += work;
    if (resumed)
        p->skipped += work;
    else if (p->expected > 0 && !(p->first > 0)) /* what came before, as reading the corpus, comes once */
        p->began = clock_now(), p->first = work;
    if (clock_now() - p->shown > (p->terminal ? 0.2 : p->every)) draw(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_state(Progress *p, const char *state) {
    pthread_mutex_lock(&p->lock);
    snprintf(p->state, sizeof p->state, "%s", state);
    pthread_mutex_unlock(&p->lock);
}

void progress_finish_job(Progress *p, const char *line) {
    pthread_mutex_lock(&p->lock);
    p->finished++;
    if (p->terminal) fprintf(stderr, "\r\033[K");
    terminal_say(stderr, "%3d/%d  %s\n", p->finished, p->jobs, line);
    if (p->terminal) draw(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_note(Progress *p, const char *line) {
    pthread_mutex_lock(&p->lock);
    if (p->terminal) fprintf(stderr, "\r\033[K");
    terminal_say(stderr, "normbench: %s\n", line);
    if (p->terminal) draw(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_end(Progress *p) {
    if (p->terminal) fprintf(stderr, "\r\033[K");
    pthread_mutex_destroy(&p->lock);
}
