/* What is inside a trainer: probes, logits, parameters, what was rounded, and ops one by one. */
#ifndef MODELS_TRAINER_LOOK_H
#define MODELS_TRAINER_LOOK_H

#include "models/trainer.h"

/* The numbers that reports hold: StepReport.probe[i] is of kind and layer (-1: the whole model). */
int trainer_probes(const Trainer *t);
ProbeKind trainer_probe(const Trainer *t, int i, int *layer);

/* After a pass: the activation that probe i looks at, in one replica, [rows][cols] into x (NULL: its sizes alone).
 * False: it looks at no activation, or this model has none there. */
bool trainer_looks_at(const Trainer *t, int i, int replica, int *rows, int *cols, double *x);

int trainer_vocabulary(const Trainer *t);

/* After trainer_forward: the logits of one row of one replica, out[vocabulary]. */
void trainer_logits(const Trainer *t, int replica, int row, double *out);

/* Parameters, in tape order. */
typedef struct {
    const char *name; /* the export name */
    int rows, cols;
    bool vector; /* tensor_vector */
} Parameter;
int trainer_parameters(const Trainer *t);
Parameter trainer_parameter(const Trainer *t, int i);
size_t trainer_weights(const Trainer *t); /* numbers in all of them */

/* Words of parameter i, or of its moments (role), as the backend has them; *copy is NULL, or memory the caller
 * frees. */
const void *trainer_words(const Trainer *t, Role role, int i, int replica, void **copy);
void trainer_put(Trainer *t, Role role, int i, int replica, const void *words);
/* The same of parameters as floats. */
void trainer_read(const Trainer *t, int i, int replica, float *out);
void trainer_write(Trainer *t, int i, int replica, const float *in);

/* Hash of all parameters of a replica in tape order, as float bits. */
void trainer_hash(const Trainer *t, int replica, uint8_t out[32]);

/* An op of the list, as kernels are called. */
typedef struct {
    const Call *call;
    bool backward; /* it has a backward */
} TrainerOp;
int trainer_ops(const Trainer *t);
TrainerOp trainer_op(const Trainer *t, int i);

/* The passes of a step, op by op on the caller's thread: seen(op, backward) after each op, and with op -1 before the
 * first of a pass. Scalars are those of the next update; nothing of the training state but gradients changes. */
void trainer_each_op(Trainer *t, void (*seen)(void *context, int op, bool backward), void *context);

/* The update alone, unclipped, of replica 0 with the gradients that stand; the norm of those gradients, or of the
 * update after it. For those who time them, on the host, after trainer_each_op has set the scalars. */
void trainer_update_only(Trainer *t);
double trainer_norm_only(Trainer *t);

/* One step, op by op, of replica 0: what each op wrote, and then the updated parameters, as hashes. phase: "forward",
 * "backward", "update". False as trainer_step. */
typedef void TraceLine(void *context, const char *phase, int op, const char *kind, const char *tensor,
                       const uint8_t hash[32]);
bool trainer_trace(Trainer *t, TraceLine *line, void *context, StepReport *report);
/* The parameters alone; phase "start" or what the caller says. */
void trainer_trace_parameters(const Trainer *t, const char *phase, TraceLine *line, void *context);

/* Of a precision that stores words of 16 bits: the places where steps round, and what became of a replica's numbers
 * there since its start. */
typedef enum { PASS_weights, PASS_forward, PASS_backward } RoundPass;
typedef struct {
    const char *tensor; /* "h.3.attn.c_attn" */
    int layer;          /* -1: outside the blocks */
    RoundPass pass;     /* backward: the tensor's gradient */
    int order;          /* of two sites, the one that a step comes to first has the lower */
} RoundSite;
int trainer_sites(const Trainer *t); /* 0: nothing is rounded */
RoundSite trainer_site(const Trainer *t, int i);
void trainer_rounded(const Trainer *t, int replica, Rounded *out); /* [sites] */
void trainer_set_rounded(Trainer *t, int replica, const Rounded *from);

#endif
