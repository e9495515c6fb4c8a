/* Checkpoints of a run in progress: folder/.partial/<id>.safetensors with parameters, moments, curves, evaluations and
 * the loss chain. A checkpoint that does not read, or is of another run, is named and ignored: the run starts over. */
#ifndef BENCH_STORE_CHECKPOINT_H
#define BENCH_STORE_CHECKPOINT_H

#include "bench/store/record.h"
#include "models/trainer.h"

/* State of one replica of t, with what r holds so far. Above `shard` bytes of tensors in several files with an index
 * (bench/formats/safe_shards.h), which is written last: a checkpoint of which shards are missing is none. */
Rc checkpoint_write(const char *folder, const char *id, Trainer *t, int replica, const RunRecord *r,
                    const uint8_t chain[32], double shard, Error *e);

/* RC_OK: the replica (and the step of t), r (curves, evaluations) and chain stand where the checkpoint was made.
 * RC_USAGE: there is none. RC_INTEGRITY: there is one, but it cannot be used (the line
 * says why); nothing was changed. */
Rc checkpoint_read(const char *folder, const char *id, Trainer *t, int replica, RunRecord *r, uint8_t chain[32],
                   Error *e);

/* The step at which a run's checkpoint stands; -1: there is none that reads as this run's. */
int checkpoint_step(const char *folder, const char *id);

/* Removes it; absent is fine. */
void checkpoint_remove(const char *folder, const char *id);

/* Removes what killed processes left behind of runs that are stored by now (checkpoints, growing curves, claims,
 * folders written aside), and .partial/ when it is empty. What belongs to any other run is left alone: somebody may be
 * writing it. */
void checkpoint_sweep(const char *folder);

#endif
