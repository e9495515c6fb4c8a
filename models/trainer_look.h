/* Inspect a trainer: probes, logits, parameters, rounding, and ops one by one. */
#ifndef MODELS_TRAINER_LOOK_H
#define MODELS_TRAINER_LOOK_H

#include "models/trainer.h"

/* Return how many probes reports have; StepReport.probe[i] has a kind and a layer (-1: the whole model). */
int trainer_probes(const Trainer *t);
ProbeKind trainer_probe(const Trainer *t, int i, int *layer);

/* Copy, after a pass, the activation that probe i reads in one replica, [rows][cols], to x (NULL: only its sizes).
 * False: it reads no activation, or this model lacks it. */
bool trainer_looks_at(const Trainer *t, int i, int replica, int *rows, int *cols, double *x);

int trainer_vocabulary(const Trainer *t);

/* Copy, after trainer_forward, the logits of one row of one replica, out[vocabulary]. */
void trainer_logits(const Trainer *t, int replica, int row, double *out);

/* A parameter; they are in tape order. */
typedef struct {
    const char *name; /* the export name */
    int rows, cols;
    bool vector; /* tensor_vector */
} Parameter;
int trainer_parameters(const Trainer *t);
Parameter trainer_parameter(const Trainer *t, int i);
size_t trainer_weights(const Trainer *t); /* returns the numbers in all of them */

/* Return the numbers of parameter i, or its moments (role), in the backend's type; *copy is NULL, or memory that the
 * caller frees. */
const void *trainer_words(const Trainer *t, Role role, int i, int replica, void **copy);
void trainer_put(Trainer *t, Role role, int i, int replica, const void *words);
/* Read, or write, a parameter as floats. */
void trainer_read(const Trainer *t, int i, int replica, float *out);
void trainer_write(Trainer *t, int i, int replica, const float *in);

/* Hash all parameters of a replica in tape order, as float bits. */
void trainer_hash(const Trainer *t, int replica, uint8_t out[32]);

/* An op of the list and its call. */
typedef struct {
    const Call *call;
    bool backward; /* it has a backward */
} TrainerOp;
int trainer_ops(const Trainer *t);
TrainerOp trainer_op(const Trainer *t, int i);

/* Run the passes of a step op by op on the caller's thread: call seen(op, backward) after each op, and with op -1
 * before the first of a pass. Scalars are the next update's; only gradients change. */
void trainer_each_op(Trainer *t, void (*seen)(void *context, int op, bool backward), void *context);

/* Do only the update, unclipped, of replica 0 with the present gradients; compute the norm of those gradients, or of
 * the update after it. To time them on the host, after trainer_each_op has set the scalars. */
void trainer_update_only(Trainer *t);
double trainer_norm_only(Trainer *t);

/* Make one step of replica 0 op by op, and hash what each op wrote, then the updated parameters. phase: "forward",
 * "backward", "update". False as trainer_step. */
typedef void HashLine(void *context, const char *phase, int op, const char *kind, const char *tensor,
                      const uint8_t hash[32]);
bool trainer_hash_step(Trainer *t, HashLine *line, void *context, StepReport *report);
/* Hash only the parameters; phase: "start" or the caller's. */
void trainer_hash_parameters(const Trainer *t, const char *phase, HashLine *line, void *context);

/* Sites where steps of a precision with 16-bit storage round, and a replica's counts there since its start. */
typedef enum { PASS_weights, PASS_forward, PASS_backward } RoundPass;
typedef struct {
    const char *tensor; /* "h.3.attn.c_attn" */
    int layer;          /* -1: outside the blocks */
    RoundPass pass;     /* backward: the tensor's gradient */
    int order;          /* position in a step, ascending */
} RoundSite;
int trainer_sites(const Trainer *t); /* 0: nothing is rounded */
RoundSite trainer_site(const Trainer *t, int i);
void trainer_rounded(const Trainer *t, int replica, Rounded *out); /* [sites] */
void trainer_set_rounded(Trainer *t, int replica, const Rounded *from);

#endif
