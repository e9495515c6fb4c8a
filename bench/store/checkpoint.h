/* Checkpoints of a run in progress: folder/.partial/<id>.safetensors with parameters, moments, curves, evaluations and
 * the loss chain. A checkpoint that cannot be read, or is another run's, is named and ignored: the run starts over. */
#ifndef BENCH_STORE_CHECKPOINT_H
#define BENCH_STORE_CHECKPOINT_H

#include "bench/store/record.h"
#include "models/trainer.h"

/* Write the state of one replica of t, with r's curves and evaluations. More than `file_bytes` bytes of tensors go to
 * several files with an index (bench/formats/safe_shards.h), which is written last: without all shards there is no
 * checkpoint. */
Rc checkpoint_write(const char *folder, const char *id, Trainer *t, int replica, const RunRecord *r,
                    const uint8_t chain[32], double file_bytes, Error *e);

/* Restore the replica (and the step of t), r (curves, evaluations) and chain. RC_USAGE: there is no checkpoint.
 * RC_INTEGRITY: it cannot be used (the line says why); nothing was changed. */
Rc checkpoint_read(const char *folder, const char *id, Trainer *t, int replica, RunRecord *r, uint8_t chain[32],
                   Error *e);

/* Return the step of a run's checkpoint; -1: this run has none that can be read. */
int checkpoint_step(const char *folder, const char *id);

/* Remove the checkpoint, if there is one. */
void checkpoint_remove(const char *folder, const char *id);

/* Remove what killed processes left of runs that are now stored (checkpoints, growing curves, leases, folders written
 * aside), and .partial/ if it is empty. Files of other runs stay, since another process may be writing them. */
void checkpoint_sweep(const char *folder);

#endif
