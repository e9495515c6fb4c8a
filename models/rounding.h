/* Round a program's numbers to 16 bits (kernels/rounding.h) and count; float precisions do neither. A device stores
 * activations, their gradients and the weights that ops read in 16 bits: kernels round and count what they store, and
 * only weights and parameters' gradients are rounded separately.
 *
 *   weights      rounded into an arena of their own before each forward pass; ops read those. Masters, moments and the
 *                optimizer are float
 *   activations  each op's output, right after the op
 *   gradients    what each op's backward wrote or added to, right after it, parameters' gradients included. A device
 *                rounds all of those together at the end of the pass, but for what another op still adds to
 *
 * Left in float: what ops keep for their backward (statistics of rows: mean, deviation, sum of exponentials), and the
 * loss of each row, their mean and the measures of probes (op_measures) with their gradients, as Micikevicius et al.
 * (2018, section 3.3) keep reductions: the scaled loss itself would not fit into fp16.
 *
 * A site is a tensor's values or its gradient: 2 tensor, 2 tensor + 1. An output that stands in the memory of an input
 * is a site of its own; a gradient to which several ops add is stored, and counted, once for each. */
#ifndef MODELS_ROUNDING_H
#define MODELS_ROUNDING_H

#include "base/error.h"
#include "kernels/rounding.h"
#include "models/tape.h"

typedef struct Program Program;

typedef struct {
    Word word;
    void *weights, *count; /* in kernels' memory: [replicas] parameters as ops read them; [replicas][sites] Rounded */
    bool counting;         /* true while passes are counted */
    /* Devices only: all parameters in pieces; [tensors] the op whose backward is the last to write a parameter's
     * gradient; and whether it is rounded with all others later. */
    RoundPiece *piece;
    int pieces;
    size_t numbers;
    int *last;
    bool later;
} Roundings;

/* Prepare rounding for a program with device, strides and arenas. RC_UNMEASURED. */
Rc roundings_init(Program *p, Error *e);
void roundings_release(Program *p);

/* Return the bytes for one replica. */
size_t roundings_bytes(const Program *p);

int roundings_sites(const Program *p);

/* Return true if a tensor, or its gradient, is stored in 16 bits (devices only). */
bool roundings_narrow(const Program *p, Role role, int tensor);

/* Set the counters of op i's kernels; none unless passes are counted. */
void roundings_bind(const Program *p, int op, Call *c);

/* Return the view of a parameter as ops read it. */
View roundings_weight(const Program *p, int tensor);

/* Round the copies that ops read: of all parameters, or of one (which is not counted). */
void program_round_weights(Program *p);
void program_round_weight(Program *p, int tensor);

/* Round what an op has just written, in forward or in backward. */
void program_round_op(Program *p, int op, bool backward);

/* Begin and end a backward pass whose gradients are not read before its end, so that they are rounded together. */
void roundings_later(Program *p);
void roundings_now(Program *p);

/* Read a replica's counts, [sites]. */
void roundings_read(const Program *p, int replica, Rounded *out);
void roundings_write(Program *p, int replica, const Rounded *from);

#endif
