/* Plan what a step computes for its probes: a list of parts, one number per tensor, and which of them make each probe.
 * Decided once from the tape's list of probes; models/observe.h computes it on the host, models/resident.h on a
 * device. */
#ifndef MODELS_MEASURE_H
#define MODELS_MEASURE_H

#include "models/tape.h"

/* One number of a tensor, or of some of its rows. */
typedef struct {
    int tensor, layer;
    int first, rows;
    Role role; /* ACT, DACT, PARAM, GRAD */
    PartKind kind;
    bool thin; /* computed only at steps that the stride of the added probes divides */
} MeasurePart;

/* Parts of one probe. count 0: it has none; the probe is NaN, or a tensor's only number. */
typedef struct {
    int first, count;
    double elements; /* total numbers of its tensors, or of its rows */
} Fold;

/* Parts 0 .. gradient + parameters - 1 are computed before the update; those from `gradient` on again after it, if some
 * probe reads the updates, which are then in place of the parameters' gradients. */
typedef struct {
    MeasurePart *part;
    int parts;
    int gradient, parameters; /* parts from `gradient` on, `parameters` of them: the gradients, in tape order */
    Fold *fold;                      /* [tape->probes] */
    bool after;                      /* some probe reads the updates */
} Measure;

/* Make the plan. The parameters of a block must be adjacent in the tape. */
void measure_init(Measure *m, const Tape *tape);
void measure_release(Measure *m);

/* Return true if a part is of activations or their gradients, of which a pass over some rows has a share. */
bool measure_of_rows(const MeasurePart *p);

#endif
