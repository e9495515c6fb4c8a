/* R runs of one shape and variant, trained together, step by step. The caller brings the batches. */
#ifndef MODELS_TRAINER_H
#define MODELS_TRAINER_H

#include "models/program.h"
#include "models/recipe.h"
#include "models/transformer.h"

enum { TRAINER_MOST_LAYERS = 256 };

/* What one step did in one replica; norms are of this step, before clipping. */
typedef struct {
    float loss;
    double grad_norm, update_norm, embedding_norm;
    double layer_norm[TRAINER_MOST_LAYERS]; /* gradient norm of all parameters of each block */
    double norm_input[TRAINER_MOST_LAYERS]; /* root mean square of what enters each block's first norm; NaN: no norm */
    bool finite;                            /* false: nothing was updated, the replica has stopped */
    char culprit[64];                       /* where the first non-finite number stands: "act h.3.attn" */
} StepReport;

typedef struct Resident Resident; /* models/resident.h */

typedef struct {
    Tape tape;
    Program program;
    Resident *resident;   /* NULL: the host does what stands around forward and backward */
    Error failure;        /* of a device; code is RC_OK while there is none */
    const Recipe *recipe; /* [replicas] */
    const uint64_t *seed; /* [replicas] */
    int step;             /* next update, 0-based */
    double *power;        /* [replicas][2] beta^step, running products */
    bool *alive;          /* [replicas] */
    int *parameter;       /* [parameters] tensors, in tape order */
    int *norm_input;      /* [layers] the tensor that enters the block's first norm; -1: no norm */
    int parameters;
    double *squares; /* room for a sum per tensor */
} Trainer;

/* recipe[replicas] and seed[replicas] must outlive it. Parameters are initialized. Replicas share shape and variant;
 * their optimizer kind must be one. */
Rc trainer_init(Trainer *t, const ModelShape *shape, const Variant *variant, const Recipe *recipe, const uint64_t *seed,
                int replicas, const Backend *backend, Error *e);
void trainer_release(Trainer *t);

/* Where a replica's batch goes: [batch * context] token ids each; target -1 is ignored. */
int32_t *trainer_inputs(Trainer *t, int replica);
int32_t *trainer_targets(Trainer *t, int replica);

/* forward, backward, clip, update on the batches that stand in the inputs. report is [replicas]. False when the program
 * was cancelled before its update, or its device failed: the trainer stands where it stood, the report means nothing. */
bool trainer_step(Trainer *t, StepReport *report);

/* On a device: keeps a corpus there, from which it draws batches as resident_corpus (models/resident.h) says. */
Rc trainer_keep_corpus(Trainer *t, const int32_t *tokens, size_t count, uint32_t choices, uint64_t stream, Error *e);

/* With a corpus on the device: up to n steps, enqueued without waiting; report is [n][replicas], left alone once a replica
 * has stopped. Returns the steps done, fewer when cancelled or when the device failed. */
int trainer_steps(Trainer *t, int n, StepReport *report);

/* Forward only, without dropout; nothing of the training state changes. Reads the same inputs. */
void trainer_forward(Trainer *t);

/* After trainer_forward: sum of nll (nats, added in row order in double), hits and count over rows whose target is not
 * -1, of one replica, rows first..first+rows-1. */
void trainer_score(const Trainer *t, int replica, int first, int rows, double *nll, long *hits, long *count);

/* Whether its device has failed, and t->failure says how: then what was read since means nothing. */
bool trainer_failed(Trainer *t);

/* Puts the trainer at `step` (after parameters and moments were restored): running products are computed again. */
void trainer_seek(Trainer *t, int step);

/* Hash of all parameters of a replica in tape order, as float bits. */
void trainer_hash(const Trainer *t, int replica, uint8_t out[32]);

#endif
