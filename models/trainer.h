/* Trainer: R runs of one model, trained together, step by step, on any backend. models/trainer_look.h reads and writes
 * its state, models/trainer_count.h counts the costs of training. The struct is in models/trainer_state.h, for models/
 * and tests. */
#ifndef MODELS_TRAINER_H
#define MODELS_TRAINER_H

#include <signal.h>

#include "base/feed.h"
#include "base/ranks.h"
#include "kernels/backend.h"
#include "kernels/loss_scale.h"
#include "kernels/quantization.h"
#include "models/recipe.h"
#include "models/transformer.h"

typedef struct Trainer Trainer;
typedef struct Decode Decode; /* models/decode.h */

/* Report of one step in one replica. */
typedef struct {
    float loss;
    double grad_norm;           /* global, before clipping */
    bool finite;                /* false: nothing was updated, the replica has stopped */
    bool skipped;               /* nothing was updated, the loss scale was halved; grad_norm is NaN */
    char culprit[CULPRIT_SIZE]; /* place of the first number that is not finite: "act h.3.attn" */
    double *probe;              /* [trainer_probes] or NULL: not wanted; NaN: not measured at this step */
} StepReport;

/* Make a trainer of a tape, which it own_count, and initialize parameters. Added probes are measured at the steps that
 * `every` divides. recipe[replicas], with one kind of optimizer, and seed[replicas] must outlive it. RC_UNMEASURED:
 * memory. */
Rc trainer_from_tape(Trainer **out, Tape *tape, int every, const Recipe *recipe, const uint64_t *seed, int replicas,
                     const Backend *backend, Error *e);

/* Make a trainer of a GPT or encoder-decoder (transformer_build). probes NULL: the usual ones. */
Rc trainer_for_gpt(Trainer **out, const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
                   const Recipe *recipe, const uint64_t *seed, int replicas, const Backend *backend, Error *e);
void trainer_free(Trainer *t);
/* The same of what a local variable points to, for LOCAL. */
static inline void trainer_release(Trainer **t) {
    trainer_free(*t);
}

/* Share the passes over a batch (ModelShape.passes) with processes that do the same steps; each fills its feeds with
 * the whole batch. Call it before anything is fed; passes must then not be cancelled. RC_UNMEASURED: memory, or the
 * ranks' devices cannot reach each other; then the trainer can only be freed. */
Rc trainer_join(Trainer *t, const Ranks *ranks, Error *e);

/* Keep only the optimizer's moments of this rank's part of the parameters (ZeRO stage 1; models/moments.h): after
 * trainer_join, with the same ranks, at most 16, on a host. The bits do not change. */
void trainer_share_moments(Trainer *t, const Ranks *ranks);
/* Gather all moments on rank 0, for a checkpoint; drop other ranks' parts after it was written or read. Every rank
 * calls both; no-ops unless the moments are shared. */
void trainer_gather_moments(Trainer *t);
void trainer_drop_moments(Trainer *t);

/* Allocate n reports with room for the probes; one free() frees them all. */
StepReport *trainer_reports(const Trainer *t, int n);

/* Properties of a trainer. */
int trainer_replicas(const Trainer *t);
int trainer_step_number(const Trainer *t); /* returns the next update, 0-based */
const Backend *trainer_backend(const Trainer *t);
bool trainer_resident(const Trainer *t); /* true: a step is one pass on a device, which can draw its batches */

/* Stop a pass between two ops when *cancel becomes nonzero; NULL = never. */
void trainer_cancel(Trainer *t, const volatile sig_atomic_t *cancel);

/* Share every op among `threads` threads from now on. The bits do not change. RC_UNMEASURED: memory is short; RC_USAGE:
 * more than one on a device. */
Rc trainer_share(Trainer *t, int threads, Error *e);

/* List a replica's inputs to fill before a pass, one per feed of the tape; return how many. room may be NULL. */
enum { TRAINER_FEEDS_MAX = STEP_FEEDS_MAX };
int trainer_feeds(Trainer *t, int replica, FeedRoom room[TRAINER_FEEDS_MAX]);
/* Copy the first replica's feeds to all. */
void trainer_repeat(Trainer *t);
/* Return a replica's feed called name. */
int32_t *trainer_feed(Trainer *t, const char *name, int replica);

/* Make a step on the batches in the feeds: forward, backward, clip, update; then bring rows or columns that have length
 * 1 (Tensor.unit) back to it; probes of updates measure what was added before that. report is [replicas]. False: the
 * trainer was cancelled before its update, or its device failed; then it has not changed, and the report is invalid. */
bool trainer_step(Trainer *t, StepReport *report);

/* A text from which a device draws batches like dataset_batch. */
typedef struct {
    const int32_t *tokens;
    size_t count;
    uint32_t choices; /* number of first tokens that a crop may have */
    uint64_t stream;  /* Philox subsequence */
    int context;      /* rows of a crop */
} Corpus;

/* Keep a corpus on the device. RC_USAGE: the model has a feed that is not cut from a text. */
Rc trainer_keep_corpus(Trainer *t, const Corpus *corpus, Error *e);

/* Return true if the next step must be a trainer_step, with its batches in the feeds, even if a device could draw them:
 * other passes on the same batches surround it (models/change.h). */
bool trainer_steps_alone(const Trainer *t);

/* Make up to n steps with a corpus on the device, enqueued without waiting; report is [n][replicas], and rows of a
 * stopped replica stay. Return the steps done, fewer if cancelled or if the device failed. */
int trainer_steps(Trainer *t, int n, StepReport *report);

/* Run forward on the feeds, without dropout, at the progress of the last update (recipe_progress); the training state
 * does not change. */
void trainer_forward(Trainer *t);

/* Run forward for the logits of rows row[rows], ascending, only: on a host no others are computed, and no loss. row[i]
 * becomes trainer_logits' row for them. */
void trainer_forward_rows(Trainer *t, int *row, int rows);

/* Make a decoder of one replica of an encoder-decoder, with its present weights (models/decode.h); free it before the
 * next step. NULL on a device, which has no such passes. */
Decode *trainer_decode(Trainer *t, int replica);

/* Run trainer_forward with the blocks' matrix products in eight bits (models/quantized.h). False on a device, which has
 * no such pass. */
bool trainer_forward_quantized(Trainer *t, Quantization how);

/* Add up, after trainer_forward, nll (nats, in row order in double), hits and count over rows first..first+rows-1 of
 * one replica whose target is not -1. hit[rows]: which of them are hits; NULL: not wanted. */
void trainer_score(const Trainer *t, int replica, int first, int rows, double *nll, long *hits, long *count, bool *hit);

/* Return true if its device has failed; e (may be NULL) says how. Numbers read since then are invalid. */
bool trainer_failed(Trainer *t, Error *e);

/* Initialize the parameters that the data decide (models/init.h) by a pass over the batches in the feeds, without
 * dropout; trainer_step does so before the first update if necessary. */
bool trainer_awaits_data(const Trainer *t); /* returns true if it has such parameters, not yet filled */
void trainer_init_from_data(Trainer *t);

/* Set the trainer to `step`, after parameters and moments were restored, or weights for evaluation; compute running
 * products again. */
void trainer_seek(Trainer *t, int step);

/* Reset a replica's parameters and moments to the start; trainer_seek(t, 0) does the rest. */
void trainer_restart(Trainer *t, int replica);

/* Read or set the state of a replica's loss scale, in a precision that has one. After setting it, call trainer_seek. */
bool trainer_scaled(const Trainer *t);
LossScale trainer_scale(Trainer *t, int replica);
void trainer_set_scale(Trainer *t, int replica, LossScale scale);

#endif
