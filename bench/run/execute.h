/* Make RunRecords from RunSpecs: train, evaluate, checkpoint, resume. Runs of one shape and variant can be the replicas
 * of one program. */
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
    const ExecutedRun *run; /* [runs] the replicas of one program: execute_together is true for any two */
    int runs;
    const Dataset *data;
    const Backend *backend;
    const ProbeChoice *probes;         /* NULL: the usual ones */
    bool hits;                         /* records keep the hits of the last whole validation */
    bool quantize;                     /* the last whole validation measures the cost of eight bits */
    const char *folder;                /* results/runs; checkpoints are in folder/.partial/ */
    int threads;                       /* threads of the program; 0 = 1 */
    int passes;                        /* passes over a batch (models/micro.h); 0 = 1 */
    int logit_rows;                    /* rows of logits held at once (models/head.h); 0 = all */
    bool recompute;                    /* blocks' activations are computed again in backward (models/tape.h) */
    const Ranks *ranks;                /* processes that train these runs together; NULL: this one alone */
    bool own_moments;                  /* each rank keeps a part of the moments (trainer_share_moments) */
    double checkpoint_seconds;         /* wall time between checkpoints; 0 = after every step */
    double file_bytes;                 /* most bytes of tensors in a checkpoint's file; 0 = a file per tensor */
    const volatile sig_atomic_t *stop; /* nonzero: checkpoint and return RC_INTERRUPTED; NULL = never */
    /* Called with the updates of all runs since the last call, or those of checkpoints; may be NULL. */
    void (*progress)(void *context, int steps, bool resumed);
    /* Called for each continuing run, before its first update, after every few and when it is stopped: r has its curves
     * so far; may be NULL. */
    void (*row)(void *context, int run, const RunRecord *r, int step);
    /* Called when a run is finished, before the others are; may be NULL. */
    void (*finished)(void *context, int run, RunRecord *r);
    void *context;
} Execution;

/* Return true if two runs can be replicas of one program: they differ only in seeds and in a replica's scalars. */
bool execute_together(const RunSpec *a, const RunSpec *b);

/* Hash a two-step toy run of this spec's variant, optimizer and options on this backend: the run's id depends on it.
 * RC_UNMEASURED: memory, or a device that failed. */
Rc arithmetic_hash(char out[SHA256_HEX], const RunSpec *s, const Backend *backend, Error *e);

/* Write the arithmetic class of a run: the backend's and, if a library makes the products, the passes and ranks, on
 * which its bits depend too. They may also depend on NCCL's version and on how devices are connected, which the class
 * does not name. */
void run_class(char out[BACKEND_CLASS_SIZE], const Backend *backend, int passes, int ranks,
               int logit_rows);

/* Compute a run's id: SHA-256 of its canonical text, the dataset's and tokenizer's hashes, arithmetic class and
 * hash. */
void run_id(char out[SHA256_HEX], const RunSpec *s, const Dataset *d, const char *arithmetic_class,
            const char *arithmetic);

/* Train to the end, from checkpoints if all runs have good ones of one step, and fill r[x->runs]; a loss that is not
 * finite ends a run with status "diverged". RC_INTERRUPTED: checkpoints were written. RC_UNMEASURED: memory, disk, or a
 * device that failed. On an error, r has the runs finished before; the others' status is "". Runs are checkpointed one
 * after the other: a crash may leave them at different steps, each whole, and the runner then trains them in separate
 * programs: slower, with the same bits.
 *
 * Every rank calls it with the same runs; a signal to any of them stops all at one step. Only rank 0 writes
 * checkpoints; every rank reads them. */
Rc run_execute(const Execution *x, RunRecord *r, Error *e);

#endif
