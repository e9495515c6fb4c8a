/* Program: a tape with memory, one arena per role on one backend, R replicas at fixed strides, every op resolved to
 * pointers once. Replica r never reads another replica's numbers, so a NaN stays inside its replica and a run has the
 * same bits alone and among others. */
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
    Team *team;                          /* threads that share every op; NULL: only the caller */
    size_t scratch_stride;               /* bytes of scratch of each thread */

    /* On a device only: its queue, the scalars that kernels read, the host's copy of the token ids. */
    Queue *queue;
    Scalars *device_scalars;
    Arena ids;

    Roundings rounding; /* rounding to 16 bits */
    Arena head_sums;    /* partial sums of a cut head (models/head.h) */
};

/* Make a program. RC_UNMEASURED: memory is short (the line names the need). Tape and backend must outlive it. */
Rc program_init(Program *p, const Tape *tape, const Backend *backend, int replicas, Error *e);
void program_release(Program *p);

/* Return the bytes that program_init would take. */
size_t program_bytes(const Tape *tape, const Backend *backend, int replicas);
/* Compute the bytes of each arena; return those of the rest: scratch, and copies of the weights in 16 bits. */
size_t program_arenas(const Tape *tape, const Backend *backend, int replicas, size_t arena[ROLE_COUNT]);

/* Share every op among `threads` threads from now on. The bits do not change. RC_UNMEASURED: memory is short; RC_USAGE:
 * more than one on a device. */
Rc program_share(Program *p, int threads, Error *e);

/* Call task(context, part, parts) on every thread of the program. */
void program_together(const Program *p, void (*task)(void *context, int part, int parts), void *context);

/* Return true if *cancel stopped a pass between two ops: its results must not be used. */
bool program_cancelled(const Program *p);

/* Copy the host's scalars and token ids to the device, as program_forward does first; no-op on the host. */
void program_ready(Program *p);

void program_forward(Program *p);
/* Set dloss (program_seed) and run the list in reverse. Afterwards the parameters' gradients are complete. An
 * activation's gradient is valid only until the op that made the activation has read it; an activation that its
 * gradient overwrites (Gradients.over) is lost. */
void program_backward(Program *p);
/* Run backward; call seen(context, op), if not NULL, after each op with a backward: on a device, once it is
 * enqueued. */
void program_backward_seen(Program *p, void (*seen)(void *context, int op), void *context);
/* Set dloss = 1, or the replica's loss_scale, for hosts that run the list op by op. */
void program_seed(Program *p);
/* Run only the ops, without program_ready and program_seed, as a device records them. */
void program_forward_ops(Program *p);
void program_backward_ops(Program *p);
/* Before the backward of a block's last op, compute again what the block lost. */
void program_again(Program *p, int op);
/* Run one op, after program_round_weights, so that its output can be read before the next one runs. */
void program_forward_op(Program *p, int op);

/* On the host, run ops before `from` on all rows; then move rows row[rows], ascending, of op `from`'s first input to
 * its front in every replica, and run ops from..to on those only. */
void program_forward_rows(Program *p, int from, int to, const int *row, int rows);

/* Add gradients, y[i] += x[i], where the program has them; copies: y = x. */
void program_join(const Program *p, void *y, const void *x, size_t bytes, bool copies);

/* Run forward or backward of a call like one of the program's, on its threads; scratch has scratch_stride bytes for
 * each thread. */
void program_run(const Program *p, const Call *c, bool backward, size_t scratch_stride);

/* Return the view of a tensor, its gradient or its moments in all replicas. */
View program_view(const Program *p, Role role, int tensor);

/* Return the address for kernels of a tensor, its gradient, or its moments (role = ROLE_MOMENT1/2) in one replica, as
 * stored. */
void *program_at(const Program *p, Role role, int tensor, int replica);
/* Return their address for the host, 16-bit numbers as floats: *copy is NULL, or memory that the caller frees. */
const void *program_words(const Program *p, Role role, int tensor, int replica, void **copy);
/* Replace them; NULL: zeros. Not for 16-bit numbers, which only ops write. */
void program_put(Program *p, Role role, int tensor, int replica, const void *words);
/* Return the host's token ids; a device gets them with program_ready. */
int32_t *program_ids(const Program *p, int tensor, int replica);

/* Round a result of the host's double arithmetic to float on a float backend, as on a device. Sums, quotients and roots
 * of floats computed in double and rounded once are the float results. */
double program_round(const Program *p, double x);

/* Read one number as double, or a tensor as doubles or floats, whatever their stored type. */
double program_value(const Program *p, Role role, int tensor, int replica, size_t index);
void program_values(const Program *p, Role role, int tensor, int replica, double *out);
/* Read one row, out[cols]; a device copies no more than that. */
void program_row(const Program *p, Role role, int tensor, int replica, int row, double *out);
void program_read(const Program *p, Role role, int tensor, int replica, float *out);
void program_write(Program *p, Role role, int tensor, int replica, const float *in);

/* Return the first tensor of a role with a number that is not finite, for GRAD in the order of the backward pass, for
 * PARAM in that of the tape; -1: none. */
int program_nonfinite(const Program *p, Role role, int replica);
/* Return the first activation that is not finite; run the list again and check each right after its op, since later
 * outputs may overwrite it. */
int program_nonfinite_act(Program *p, int replica);

#endif
