/* Progress of a set of jobs on stderr: on a terminal one line with a bar and an ETA, never wider than the terminal;
 * plain lines otherwise, one whenever a job is over and one a minute. */
#ifndef BENCH_FORMATS_PROGRESS_H
#define BENCH_FORMATS_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    pthread_mutex_t lock;
    double total, done;    /* units of work */
    double skipped;        /* done at the start or by a resume: not part of the speed */
    double started, shown; /* seconds */
    double expected;       /* seconds that the work not skipped at the start takes, as foretold; 0: not known */
    double every;          /* seconds between plain lines */
    int jobs, finished;
    char state[96]; /* what runs now */
    bool terminal;
} Progress;

void progress_init(Progress *p, double total, int jobs);
/* Jobs that were over before this began, and their work. */
void progress_before(Progress *p, double work, int jobs);
/* resumed: this work was not done now. */
void progress_add(Progress *p, double work, bool resumed);
/* "2 running, loss 2.3127 .. 2.4011"; shown from the next progress_add on. */
void progress_state(Progress *p, const char *state);
/* A job is over: prints "line" (on a terminal above the bar). */
void progress_finish_job(Progress *p, const char *line);
/* Prints a line that is no job's result. */
void progress_note(Progress *p, const char *line);
void progress_end(Progress *p);

/* The moving line in at most `columns` columns: what does not fit is left out, the bar first. */
void progress_line(const Progress *p, int columns, char *out, size_t size);

/* Columns of the terminal behind a file descriptor; else $COLUMNS, else 80. rows: may be NULL. */
int terminal_columns(int fd, int *rows);

/* Whether a file descriptor is a terminal whose lines may be drawn again: TERM says which it is, and not "dumb". */
bool terminal_draws(int fd);

/* "1 h 05 min", "3 min 20 s", "12 s"; returns out, which holds 32 bytes. */
char *format_duration(char *out, double seconds);

#endif
