/* One run, from its RunSpec to its RunRecord: train, evaluate, checkpoint, resume. */
#ifndef BENCH_EXECUTE_H
#define BENCH_EXECUTE_H

#include <signal.h>

#include "bench/record.h"
#include "datasets/dataset.h"
#include "kernels/backend.h"
#include "models/trainer.h"

typedef struct {
    const RunSpec *spec;
    const Dataset *data;
    const Backend *backend;
    const char *id, *arithmetic;
    const char *folder;                         /* results/runs; checkpoints stand in folder/.partial/ */
    int threads;                                /* that share the run; 0 = 1 */
    double checkpoint_seconds;                  /* wall time between checkpoints; 0 = after every step */
    const volatile sig_atomic_t *stop;          /* nonzero: checkpoint and return RC_INTERRUPTED; NULL = never */
    void (*progress)(void *context, int steps); /* called with the updates done since the last call; NULL = nobody */
    void *context;
} Execution;

/* Hash of a two-step toy run of this spec's variant, optimizer and options on this backend: the arithmetic that the
 * run's id depends on. */
void arithmetic_hash(char out[SHA256_HEX], const RunSpec *s, const Backend *backend);

/* A run's id: SHA-256 of its canonical text, the dataset's and tokenizer's hashes, the arithmetic class and hash. */
void run_id(char out[SHA256_HEX], const RunSpec *s, const Dataset *d, const Backend *backend, const char *arithmetic);

/* Trains to the end (resuming a checkpoint of this id when there is a good one) and fills r; a non-finite loss is a
 * finished run whose status is "diverged". RC_INTERRUPTED: a checkpoint was written. RC_UNMEASURED: memory or disk. */
Rc run_execute(const Execution *x, RunRecord *r, Error *e);

/* Whole validation of the parameters a trainer holds now; fills loss, perplexity, bits per byte, accuracy, blocks.
 * False when *stop became nonzero on the way. */
bool evaluate_whole(Trainer *t, const Dataset *d, const RunSpec *s, Evaluation *out, const volatile sig_atomic_t *stop);

#endif
