/* Show the progress of a set of jobs on stderr: on a terminal one line with a bar and an ETA, never wider than the
 * terminal; else plain lines, one whenever a job ends and one a minute. */
#ifndef BENCH_FORMATS_PROGRESS_H
#define BENCH_FORMATS_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    pthread_mutex_t lock;
    double total, done;    /* units of work */
    double skipped;        /* work done at the start or by a resume: not part of the speed */
    double started, shown; /* seconds */
    double expected;       /* seconds that the work not skipped at the start takes, as foretold; 0: not known */
    double began, first;   /* where `expected` is known: seconds when work first came, whence speed counts; that work */
    double every;          /* seconds between plain lines */
    int jobs, finished;
    char state[96]; /* running jobs */
    bool terminal;
} Progress;

/* Return seconds of a clock that only rises. */
double clock_now(void);

void progress_init(Progress *p, double total, int jobs);
/* Count jobs that ended before the start, and their work. */
void progress_before(Progress *p, double work, int jobs);
/* Count work; resumed: it was not done now. */
void progress_add(Progress *p, double work, bool resumed);
/* Set the state, "2 running, loss 2.3127 .. 2.4011", shown from the next progress_add on. */
void progress_state(Progress *p, const char *state);
/* End a job: print `line` (on a terminal above the bar). */
void progress_finish_job(Progress *p, const char *line);
/* Print a line that is no job's result. */
void progress_note(Progress *p, const char *line);
void progress_end(Progress *p);

/* Write the moving line in at most `columns` columns; omit what does not fit, the bar first. */
void progress_line(const Progress *p, int columns, char *out, size_t size);

/* Return the columns of the terminal at a file descriptor; else $COLUMNS, else 80. rows may be NULL. */
int terminal_columns(int fd, int *rows);

/* Return true if a file descriptor is a terminal whose lines may be redrawn: TERM is set and not "dumb". */
bool terminal_draws(int fd);

/* Write "1 h 05 min", "3 min 20 s" or "12 s" to out, which has 32 bytes; return out. */
char *format_duration(char *out, double seconds);

#endif
