/* Progress of a set of jobs on stderr: one line with a bar and an ETA on a terminal, plain lines otherwise. */
#ifndef BENCH_FORMATS_PROGRESS_H
#define BENCH_FORMATS_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

typedef struct {
    pthread_mutex_t lock;
    double total, done;    /* units of work */
    double skipped;        /* done at the start or by a resume: not part of the speed */
    double started, shown; /* seconds */
    int jobs, finished;
    bool terminal;
} Progress;

void progress_init(Progress *p, double total, int jobs);
/* resumed: this work was not done now. */
void progress_add(Progress *p, double work, bool resumed);
/* A job is over: prints "line" (on a terminal above the bar). */
void progress_finish_job(Progress *p, const char *line);
/* Prints a line that is no job's result. */
void progress_note(Progress *p, const char *line);
void progress_end(Progress *p);

/* "1 h 05 min", "3 min 20 s", "12 s"; returns out, which holds 32 bytes. */
char *format_duration(char *out, double seconds);

#endif
