/* R runs of one model, trained together, step by step, on any backend. models/trainer_look.h reads and writes what is
 * inside, models/trainer_count.h counts what training takes. The struct is in models/trainer_state.h, for models/ and
 * tests. */
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

/* What one step did in one replica. */
typedef struct {
    float loss;
    double grad_norm;           /* global, before clipping */
    bool finite;                /* false: nothing was updated, the replica has stopped */
    bool skipped;               /* nothing was updated, the loss scale was halved; grad_norm is NaN */
    char culprit[CULPRIT_SIZE]; /* where the first non-finite number stands: "act h.3.attn" */
    double *probe;              /* [trainer_probes] or NULL: not wanted; a NaN among them: not measured at this step */
} StepReport;

/* A trainer takes a tape over and releases it. Probes that are not usual stand at the steps that `every` divides.
 * recipe[replicas] and seed[replicas] must outlive it. Parameters are initialized. The optimizer kind must be one for
 * all. RC_UNMEASURED: memory. */
Rc trainer_of(Trainer **out, Tape *tape, int every, const Recipe *recipe, const uint64_t *seed, int replicas,
              const Backend *backend, Error *e);

/* The same for a GPT (transformer_build). probes: NULL for the usual ones. */
Rc trainer_new(Trainer **out, const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
               const Recipe *recipe, const uint64_t *seed, int replicas, const Backend *backend, Error *e);
void trainer_free(Trainer *t);

/* From here on the passes over a batch (ModelShape.passes) are shared by processes that do the same steps; feeds are
 * filled with the whole batch on each. Before anything is fed. Nothing of a pass may be cancelled then. RC_UNMEASURED:
 * memory, or the ranks' devices cannot reach each other; then the trainer can only be freed. */
Rc trainer_join(Trainer *t, const Ranks *ranks, Error *e);

/* After trainer_join, with the same ranks, at most 16, on a host: from here on each keeps the optimizer's moments of
 * its own part of the parameters alone (ZeRO stage 1; models/moments.h). The bits do not change. */
void trainer_share_moments(Trainer *t, const Ranks *ranks);
/* All moments on rank 0, for a checkpoint; and after one was written or read, everywhere each rank's own part alone.
 * Every rank calls both. They do nothing where the moments are not shared out. */
void trainer_gather_moments(Trainer *t);
void trainer_drop_moments(Trainer *t);

/* n reports with room for the probes; one free() frees them all. */
StepReport *trainer_reports(const Trainer *t, int n);

/* What it is. */
int trainer_replicas(const Trainer *t);
int trainer_step_number(const Trainer *t); /* of the next update, 0-based */
const Backend *trainer_backend(const Trainer *t);
bool trainer_resident(const Trainer *t); /* a step is one pass on a device, which can draw its batches itself */

/* Nonzero *cancel stops a pass between two ops; NULL = never. */
void trainer_cancel(Trainer *t, const volatile sig_atomic_t *cancel);

/* From here on `threads` threads share every op. The bits do not change. RC_UNMEASURED when memory is short, RC_USAGE
 * for more than one on a device. */
Rc trainer_share(Trainer *t, int threads, Error *e);

/* A replica's inputs: rooms to fill before a pass, one per feed of the tape; returns how many. room may be NULL. */
enum { TRAINER_MOST_FEEDS = STEP_MOST_FEEDS };
int trainer_feeds(Trainer *t, int replica, FeedRoom room[TRAINER_MOST_FEEDS]);
/* What stands in the feeds of the first replica, into those of all. */
void trainer_repeat(Trainer *t);
/* The one called name. */
int32_t *trainer_feed(Trainer *t, const char *name, int replica);

/* forward, backward, clip, update on the batches that stand in the feeds; then parameters whose rows or columns have
 * length 1 (Tensor.unit) are brought back to it: probes of the updates look at what was added before that. report is
 * [replicas]. False when the trainer was cancelled before its update, or its device failed: then nothing of it has
 * changed and the report must not be used. */
bool trainer_step(Trainer *t, StepReport *report);

/* A text from which a device draws batches as dataset_batch does. */
typedef struct {
    const int32_t *tokens;
    size_t count;
    uint32_t choices; /* first tokens a crop may have */
    uint64_t stream;  /* Philox subsequence */
    int context;      /* rows of a crop */
} Corpus;

/* On a device: keeps a corpus there. RC_USAGE: the model has a feed that is not cut from a text. */
Rc trainer_keep_corpus(Trainer *t, const Corpus *corpus, Error *e);

/* Whether the step that comes must be a trainer_step, with its batches in the feeds, also where a device draws them:
 * passes on the same batches stand around it (models/change.h). */
bool trainer_steps_alone(const Trainer *t);

/* With a corpus on the device: up to n steps, enqueued without waiting; report is [n][replicas], left alone once a
 * replica has stopped. Returns the steps done, fewer when cancelled or when the device failed. */
int trainer_steps(Trainer *t, int n, StepReport *report);

/* Forward only, without dropout, at the progress of the last update made (recipe_progress); nothing of the training
 * state changes. Reads the same feeds. */
void trainer_forward(Trainer *t);

/* The same where the logits of rows row[rows], ascending, are all that is wanted: on a host no others are computed, and
 * no loss. row[i] becomes the row where trainer_logits finds them. */
void trainer_forward_rows(Trainer *t, int *row, int rows);

/* A replica of an encoder-decoder for decoding, with the weights as they stand (models/decode.h); to be freed before
 * the next step. NULL on a device, which has no such passes. */
Decode *trainer_decode(Trainer *t, int replica);

/* trainer_forward with the blocks' matrix products in eight bits (models/quantized.h). False on a device, which has no
 * such pass. */
bool trainer_forward_quantized(Trainer *t, Quantization how);

/* After trainer_forward: sum of nll (nats, added in row order in double), hits and count over rows whose target is not
 * -1, of one replica, rows first..first+rows-1. hit[rows]: which of them are hits; NULL: not wanted. */
void trainer_score(const Trainer *t, int replica, int first, int rows, double *nll, long *hits, long *count, bool *hit);

/* True when its device has failed, and then e says how (e may be NULL): what was read since must not be used. */
bool trainer_failed(Trainer *t, Error *e);

/* Parameters that start as a pass over the first batch measures (models/profile.h) get their values from the
 * batches that stand in the feeds, without dropout; trainer_step does it by itself where nobody did before the
 * first update. */
bool trainer_profiles(const Trainer *t); /* the model has such parameters, and they have not been filled */
void trainer_profile(Trainer *t);

/* Puts the trainer at `step` (after parameters and moments were restored, or weights for evaluation): running products
 * are computed again. */
void trainer_seek(Trainer *t, int step);

/* A replica's parameters and moments as they were at the start; trainer_seek(t, 0) does the rest. */
void trainer_restart(Trainer *t, int replica);

/* Of a precision that scales the loss: where a replica's scale stands. Setting it is followed by trainer_seek. */
bool trainer_scaled(const Trainer *t);
LossScale trainer_scale(Trainer *t, int replica);
void trainer_set_scale(Trainer *t, int replica, LossScale scale);

#endif
