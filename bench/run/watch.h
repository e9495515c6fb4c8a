/* Watch: what can be seen of a run while it trains. Its curve grows on disk in folder/.partial/<id>.curves.csv: the
 * rows of the final curves.csv as far as they go, whole lines only up to the last line break. */
#ifndef BENCH_RUN_WATCH_H
#define BENCH_RUN_WATCH_H

#include "bench/store/record.h"

typedef struct {
    bool running;
    int step, evaluations, written; /* updates done; whole validations; rows on disk */
    double loss;                    /* train loss of the last update; NaN: none yet */
    double flushed;                 /* when rows were written last, seconds */
} Watch;

/* r stands at step: remembers its last loss and, after an evaluation or a second or when it is the last time, appends
 * its new rows. The first call (running is false before) writes the file anew, since a killed process may have left
 * rows behind its checkpoint. A disk that refuses costs the growing curve alone. */
void watch_row(Watch *w, const char *folder, const RunRecord *r, int step, bool last);

/* The run is over: stored (its growing curve is removed) or not. */
void watch_end(Watch *w, const char *folder, const char *id, bool stored);

/* "3 running, loss 2.3127 .. 2.4011" of those that are running; "" when none has a loss. out holds 96 bytes. */
char *watch_summary(char out[96], const Watch *w, int count);

/* Seconds between two looks for runs that other processes stored, of which each is a call of the shared file system: so
 * many as make ten calls a second, five at least. */
enum { WATCH_LOOKS = 10, WATCH_PAUSE = 5 };
int watch_pause(int runs);

/* The last whole row of a growing curve: updates done, train loss, the last validation loss (NaN: none yet), seconds
 * since it was written. False: there is none. */
bool watch_read(const char *folder, const char *id, int *step, double *loss, double *valid, double *age);

#endif
