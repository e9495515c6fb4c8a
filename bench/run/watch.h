/* Watch: observe a run while it trains. Its curve grows on disk in folder/.partial/<id>.curves.csv: the first rows of
 * the final curves.csv; only lines up to the last line break are whole. */
#ifndef BENCH_RUN_WATCH_H
#define BENCH_RUN_WATCH_H

#include "bench/store/record.h"

typedef struct {
    bool running;
    int step, evaluations, written; /* updates done; whole validations; rows on disk */
    double loss;                    /* train loss of the last update; NaN: none yet */
    double flushed;                 /* time of the last write, seconds */
} Watch;

/* Note r's last loss at `step` and, after an evaluation or a second or on the last call, append its new rows. The first
 * call (running is false) writes the file anew, since a killed process may have left rows after its checkpoint. A disk
 * that refuses costs only the growing curve. */
void watch_row(Watch *w, const char *folder, const RunRecord *r, int step, bool last);

/* End the watch; if the run is stored, remove its growing curve. */
void watch_end(Watch *w, const char *folder, const char *id, bool stored);

/* Write "3 running, loss 2.3127 .. 2.4011", or "" if none has a loss, to out[96]. */
char *watch_summary(char out[96], const Watch *w, int count);

/* Polling of runs that other processes may have stored, each a call of the shared file system: at most WATCH_LOOKS
 * calls a second, in rounds at least WATCH_PAUSE seconds apart. */
enum { WATCH_LOOKS = 10, WATCH_PAUSE = 5 };
int watch_pause(int runs);

/* Read the last whole row of a growing curve: updates done, train loss, the last validation loss (NaN: none yet), its
 * age in seconds. False: there is none. */
bool watch_read(const char *folder, const char *id, int *step, double *loss, double *valid, double *age);

#endif
