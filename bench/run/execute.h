/* Runs, from their RunSpecs to their RunRecords: train, evaluate, checkpoint, resume. Runs of one shape and variant can
 * be the replicas of one program. */
#ifndef BENCH_RUN_EXECUTE_H
#define BENCH_RUN_EXECUTE_H

#include <signal.h>

#include "bench/store/record.h"
#include "datasets/dataset.h"
#include "kernels/backend.h"
#include "models/trainer.h"

typedef struct {
    const RunSpec *spec;
    const char *id, *arithmetic;
} ExecutedRun;

typedef struct {
    const ExecutedRun *run; /* [runs] the replicas of one program: any two as execute_together says */
    int runs;
    const Dataset *data;
    const Backend *backend;
    const ProbeChoice *probes;         /* NULL: the usual ones */
    bool hits;                         /* records keep which targets of the last whole validation are predicted right */
    bool quantize;                     /* the last whole validation measures what eight bits cost */
    const char *folder;                /* results/runs; checkpoints stand in folder/.partial/ */
    int threads;                       /* that share the program; 0 = 1 */
    int passes;                        /* over a batch (models/micro.h); 0 = 1 */
    int logit_rows;                    /* held at once (models/head.h); 0 = all */
    bool recompute;                    /* blocks' activations in the backward pass (models/recompute.h) */
    const Ranks *ranks;                /* processes that train these runs together; NULL: this one alone */
    bool shard_moments;                /* each of them keeps a part of the moments (trainer_share_moments) */
    double checkpoint_seconds;         /* wall time between checkpoints; 0 = after every step */
    double shard_bytes;                /* of a checkpoint's tensors in one file; 0 = each tensor stands alone */
    const volatile sig_atomic_t *stop; /* nonzero: checkpoint and return RC_INTERRUPTED; NULL = never */
    /* Called with the updates of all runs since the last call, or those that checkpoints held; NULL = nobody. */
    void (*progress)(void *context, int steps, bool resumed);
    /* Called for each run that goes on, before its first update, after every few and when it is stopped: r holds its
     * curves so far; NULL = nobody. */
    void (*row)(void *context, int run, const RunRecord *r, int step);
    /* Called when a run is finished, before the others are; NULL = nobody. */
    void (*finished)(void *context, int run, RunRecord *r);
    void *context;
} Execution;

/* Whether two runs can be replicas of one program: all that differs is the seed and what a replica's scalars hold. */
bool execute_together(const RunSpec *a, const RunSpec *b);

/* Hash of a two-step toy run of this spec's variant, optimizer and options on this backend: the arithmetic that the
 * run's id depends on. RC_UNMEASURED: memory, or a device that failed. */
Rc arithmetic_hash(char out[SHA256_HEX], const RunSpec *s, const Backend *backend, Error *e);

/* The arithmetic class of a run whose batch is cut so: the backend's, and where a library makes the products the parts
 * and ranks, on which its bits depend too. They may also depend on NCCL's version and on how devices are connected,
 * which it does not name. */
void run_class(char out[BACKEND_CLASS_SIZE], const Backend *backend, int passes, int ranks,
               int logit_rows);

/* A run's id: SHA-256 of its canonical text, the dataset's and tokenizer's hashes, the arithmetic class and hash. */
void run_id(char out[SHA256_HEX], const RunSpec *s, const Dataset *d, const char *arithmetic_class,
            const char *arithmetic);

/* Trains to the end (resuming checkpoints when all runs have good ones of the same step) and fills r[x->runs]; a
 * non-finite loss is a finished run whose status is "diverged". RC_INTERRUPTED: checkpoints were written.
 * RC_UNMEASURED: memory, disk, or a device that failed. With an error, what had finished before stands in r; the
 * others' status is "". Runs are checkpointed one after the other: a crash between two leaves them at different steps,
 * each whole, and the runner then trains them in programs of their own: slower, the same bits.
 *
 * Of several ranks each calls it with the same runs; a signal to any of them stops all at one step. Rank 0 alone writes
 * checkpoints; every rank reads them. */
Rc run_execute(const Execution *x, RunRecord *r, Error *e);

#endif
