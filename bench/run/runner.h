/* Train the missing runs of a todo on a pool of threads: one program is one job on one thread. */
#ifndef BENCH_RUN_RUNNER_H
#define BENCH_RUN_RUNNER_H

#include "bench/run/todo.h"

typedef struct {
    double checkpoint_seconds;
    double shard_bytes; /* of a checkpoint (bench/store/checkpoint.h) */
    int replicas;         /* runs that one program trains, at most; 0: 1 on the host, all that fit on a device */
    double expected_seconds; /* of what is missing here; 0: not known */
    const char *declared; /* lines of bench/plan/declare.h for the records; NULL: none */
    /* NULL, or asked whenever more of the first seeds are stored by whomever (whole: how many): how many of them are
     * wanted as far as can be told now, `whole` or fewer when it is enough. words: what is said of it, in lines.
     * Programs of several runs hold no seed beyond. Negative: it failed. */
    int (*seeds)(void *context, int whole, Text *words, Error *e);
    void *context;
    int whole, wanted; /* at the start */
    int most_runs;     /* most runs begun here; 0: any number */
} RunnerOptions;

/* Trains what is missing of this process's share (todo_shards) and stores each record as it is finished; a failed run
 * is named and the others go on, unless the disk refused a record: then no new run is begun. Other processes may do the
 * same in the same folder: each run is trained by one of them (bench/run/cluster/share.h), and this returns when the
 * share is done, whoever did it; what a process that ended left behind is trained here. Where enough seeds are stored,
 * no new run is begun. Returns RC_OK, RC_INTERRUPTED
 * (or 143) when a signal stopped it, or the code of the first failure. Updates p->run[].done. */
Rc runner_train(Todo *p, Session *s, const Experiment *x, const RunnerOptions *o, Error *e);

/* Check that the largest missing run of this share fits in memory: bytes needed, and available. RC_UNMEASURED: it does
 * not. */
Rc runner_fits(const Todo *p, double *need, double *have, Error *e);

#endif
