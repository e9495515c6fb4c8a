/* What a step has to compute for its probes: a list of parts, one number per tensor, and which of them make each
 * probe. Decided once from the tape's list of probes; models/observe.h computes it on the host, models/resident.h on a
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
    bool thin; /* wanted at the steps that the stride of the added probes divides */
} MeasurePart;

/* The parts of one probe. count 0: it has none, the probe is NaN, or the one word of a tensor. */
typedef struct {
    int first, count;
    double elements; /* of its tensors together, or of its rows */
} Fold;

/* Before the update parts 0 .. gradient + parameters - 1 are computed, after it those from `gradient` on, if some probe
 * looks at the updates: the parameters' gradients then hold the updates. */
typedef struct {
    MeasurePart *part;
    int parts;
    int gradient, parameters; /* parts from `gradient` on, `parameters` of them: the gradients, in tape order */
    Fold *fold;                      /* [tape->probes] */
    bool after;                      /* some probe looks at the updates */
} Measure;

/* The parameters of a block must stand side by side in the tape. */
void measure_init(Measure *m, const Tape *tape);
void measure_release(Measure *m);

/* Whether a part is of activations or their gradients, of which a pass over some rows of a batch has a share. */
bool measure_of_rows(const MeasurePart *p);

#endif
