/* Train the missing runs of a todo on a pool of threads: one program is one job on one thread. */
#ifndef BENCH_RUN_RUNNER_H
#define BENCH_RUN_RUNNER_H

#include "bench/run/todo.h"

typedef struct {
    double checkpoint_seconds;
    double file_bytes;    /* for checkpoints (bench/store/checkpoint.h) */
    int replicas;         /* most runs of one program; 0: 1 on the host, all that fit on a device */
    double expected_seconds; /* of the missing runs here; 0: unknown */
    const char *declared; /* lines of bench/plan/declare.h for the records; NULL: none */
    /* NULL, or called whenever more of the first seeds are stored (whole: how many): returns how many are wanted as far
     * as known, `whole` or fewer if they are enough; negative: it failed. words: lines to print. Programs of several
     * runs have no seed beyond. */
    int (*seeds)(void *context, int whole, Text *words, Error *e);
    void *context;
    int whole, wanted; /* at the start */
    int most_runs;     /* most runs begun here; 0: any number */
} RunnerOptions;

/* Train the missing runs of this process's share (todo_parts) and store each record when finished; a failed run is
 * named and the others go on, unless the disk refused a record: then no new run is begun. Other processes may do the
 * same in one folder: each run is trained by one of them (bench/run/cluster/share.h), and this returns when the share
 * is done by anyone; runs that an ended process left are trained here. If enough seeds are stored, no new run is begun.
 * Return RC_OK, RC_INTERRUPTED (or 143) after a signal, or the code of the first failure. Updates p->run[].done. */
Rc runner_train(Todo *p, Session *s, const Experiment *x, const RunnerOptions *o, Error *e);

/* Check that the largest missing run of this share fits in memory: bytes needed, and available. RC_UNMEASURED: it does
 * not. */
Rc runner_fits(const Todo *p, double *need, double *have, Error *e);

/* Return how many programs of up to `group` runs a device trains at once, at most `threads`, if `fit` runs fit: a
 * program cut in parts takes longer than one after the other, since few runs leave a device idle. */
int runner_at_once(int fit, int group, int threads);

#endif
