/* Where a program rounds to words of 16 bits (kernels/rounding.h) and what it counts there. A precision whose word is
 * float has none of it. A device stores activations, their gradients and the weights that ops read in such words: there
 * kernels round and count what they store, and only weights and parameters' gradients are rounded apart.
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
    void *weights, *count; /* where kernels are: [replicas] parameters as ops read them; [replicas][sites] Rounded */
    bool counting;         /* passes are counted now */
    /* Of a device: all parameters in pieces; [tensors] the op whose backward is the last to write a parameter's
     * gradient; and whether it is rounded with all others later. */
    RoundPiece *piece;
    int pieces;
    size_t numbers;
    int *last;
    bool later;
} Roundings;

/* The program has its device, strides and arenas. RC_UNMEASURED. */
Rc roundings_init(Program *p, Error *e);
void roundings_release(Program *p);

/* Bytes that it takes for one replica. */
size_t roundings_bytes(const Program *p);

int roundings_sites(const Program *p);

/* Whether a tensor, or its gradient, stands in memory in words of 16 bits. */
bool roundings_narrow(const Program *p, Role role, int tensor);

/* Where op i's kernels count what they store; nowhere unless passes are counted now. */
void roundings_bind(const Program *p, int op, Call *c);

/* A parameter as ops read it. */
View roundings_weight(const Program *p, int tensor);

/* The copies that ops read, of all parameters, and of one (which is not counted). */
void program_round_weights(Program *p);
void program_round_weight(Program *p, int tensor);

/* What an op has just written, in forward or in backward. */
void program_round_op(Program *p, int op, bool backward);

/* Around a backward pass in which nobody looks at gradients before its end. */
void roundings_later(Program *p);
void roundings_now(Program *p);

/* A replica's counts, [sites]. */
void roundings_read(const Program *p, int replica, Rounded *out);
void roundings_write(Program *p, int replica, const Rounded *from);

#endif
