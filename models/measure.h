/* What a step has to compute for its probes: a list of parts, one number per tensor, and which of them make each
 * probe. Decided once from the tape's list of probes; models/observe.h computes it on the host, models/resident.h on a
 * device. */
#ifndef MODELS_MEASURE_H
#define MODELS_MEASURE_H

#include "models/tape.h"

/* The sum of squares of one tensor, or its largest absolute value. */
typedef struct {
    int tensor, layer;
    Role role; /* ACT, PARAM, GRAD */
    bool largest;
} MeasurePart;

/* The parts of one probe. count 0: it has none, the probe is NaN, or the one word of a tensor. */
typedef struct {
    int first, count;
    double elements; /* of its tensors together */
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

#endif
