/* A tape with memory: one arena per role on one backend, R replicas at fixed strides, every op resolved to pointers
 * once. Replica r never reads another replica's words, so a NaN stays inside its replica and a run alone has the bits
 * it has among others. */
#ifndef MODELS_PROGRAM_H
#define MODELS_PROGRAM_H

#include <signal.h>

#include "base/arena.h"
#include "base/team.h"
#include "kernels/backend.h"
#include "models/gradients.h"
#include "models/places.h"
#include "models/rounding.h"

struct Program {
    const Tape *tape;
    const Backend *backend;
    int replicas;
    Arena arena[ROLE_COUNT], scratch;
    size_t stride[ROLE_COUNT];           /* bytes between replicas */
    Call *call;                          /* [tape->ops] */
    Recompute recompute;                 /* which activations are computed again */
    Places places;                       /* where activations are */
    Gradients gradients;                 /* where their gradients are, and which op writes them first */
    Scalars *scalars;                    /* [replicas] */
    const volatile sig_atomic_t *cancel; /* nonzero stops a pass between two ops; NULL = never */
    Team *team;                          /* threads that share every op; NULL: the caller alone */
    size_t scratch_stride;               /* bytes of scratch each of them has */

    /* On a device only: the queue its work goes to, the scalars that kernels read, the host's copy of the token ids. */
    Queue *queue;
    Scalars *device_scalars;
    Arena ids;

    Roundings rounding; /* to words of 16 bits */
    Arena head_sums;    /* of a head that is cut (models/head.h) */
};

/* RC_UNMEASURED when memory is short (the line says how much is needed). The tape and the backend must outlive it. */
Rc program_init(Program *p, const Tape *tape, const Backend *backend, int replicas, Error *e);
void program_release(Program *p);

/* Bytes that program_init would take. */
size_t program_bytes(const Tape *tape, const Backend *backend, int replicas);
/* The same of each arena, and of all else: what ops compute in, and copies of the weights in 16 bits. */
size_t program_arenas(const Tape *tape, const Backend *backend, int replicas, size_t arena[ROLE_COUNT]);

/* From here on `threads` threads share every op. The bits do not change. RC_UNMEASURED when memory is short, RC_USAGE
 * for more than one on a device. */
Rc program_share(Program *p, int threads, Error *e);

/* task(context, part, parts) on every thread of the program. */
void program_together(const Program *p, void (*task)(void *context, int part, int parts), void *context);

/* True when *cancel stopped a pass between two ops: what it computed must not be used. */
bool program_cancelled(const Program *p);

/* Copies the host's scalars and token ids to the device, as program_forward does first; on the host it does nothing. */
void program_ready(Program *p);

void program_forward(Program *p);
/* Sets dloss (program_seed) and runs the list in reverse. Afterwards the parameters' gradients are complete. An
 * activation's gradient is valid only until the op that made the activation has read it; an activation whose
 * gradient is in place of it (Gradients.over) has been overwritten. */
void program_backward(Program *p);
/* The same; seen(context, op), if there is one, after each op that has a backward: on a device, once it is enqueued. */
void program_backward_seen(Program *p, void (*seen)(void *context, int op), void *context);
/* dloss = 1, or the replica's loss_scale, for hosts that run the list op by op. */
void program_seed(Program *p);
/* The ops alone, without program_ready and program_seed: what a device records. */
void program_forward_ops(Program *p);
void program_backward_ops(Program *p);
/* Before the backward of an op: what its block lost, if the op is the block's last, is computed again. */
void program_again(Program *p, int op);
/* One op, for those who look at what it makes before the next one runs; after program_round_weights. */
void program_forward_op(Program *p, int op);

/* On the host: ops before `from` as usual; then rows row[rows], ascending, of what op `from` reads first are moved to
 * its front in every replica, and ops from..to compute those alone. */
void program_forward_rows(Program *p, int from, int to, const int *row, int rows);

/* y[i] += x[i] of words of gradients, where the program has them; or, where it copies, y = x. */
void program_join(const Program *p, void *y, const void *x, size_t bytes, bool copies);

/* The forward or the backward of a call that is like one of the program's, on its threads; scratch holds scratch_stride
 * bytes for each of them. */
void program_run(const Program *p, const Call *c, bool backward, size_t scratch_stride);

/* A tensor, its gradient or its moments in all replicas. */
View program_view(const Program *p, Role role, int tensor);

/* Words of a tensor, of its gradient, or of its moments (role = ROLE_MOMENT1/2) in one replica, where kernels find
 * them, as they are stored. */
void *program_at(const Program *p, Role role, int tensor, int replica);
/* The same where the host finds them, words of 16 bits as floats: *copy is NULL, or memory that the caller frees. */
const void *program_words(const Program *p, Role role, int tensor, int replica, void **copy);
/* Replaces them; NULL: zeros. Not of words of 16 bits, which ops write. */
void program_put(Program *p, Role role, int tensor, int replica, const void *words);
/* Token ids as the host gives them; a device gets them with program_ready. */
int32_t *program_ids(const Program *p, int tensor, int replica);

/* A result of host arithmetic on a replica's numbers: rounded to float on a float backend, so that a device can do the
 * same. Sums, quotients and roots of floats computed in double and rounded once are the float results. */
double program_round(const Program *p, double x);

/* One word as double, and a tensor as doubles or floats: for hosts that do not know the word size. */
double program_value(const Program *p, Role role, int tensor, int replica, size_t index);
void program_values(const Program *p, Role role, int tensor, int replica, double *out);
/* One row, out[cols]; a device copies no more than that. */
void program_row(const Program *p, Role role, int tensor, int replica, int row, double *out);
void program_read(const Program *p, Role role, int tensor, int replica, float *out);
void program_write(Program *p, Role role, int tensor, int replica, const float *in);

/* The first tensor of a role that holds a non-finite word, of GRAD in the order of the backward pass, of PARAM in that
 * of the tape; -1 when none does. */
int program_nonfinite(const Program *p, Role role, int replica);
/* The same of activations, each looked at right after its op: a forward pass overwrites those whose memory a later
 * output shares, so the list is run again. */
int program_nonfinite_act(Program *p, int replica);

#endif
