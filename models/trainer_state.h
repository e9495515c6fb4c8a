/* What a trainer is made of: for models/ and for tests that look inside. */
#ifndef MODELS_TRAINER_STATE_H
#define MODELS_TRAINER_STATE_H

#include "kernels/loss_scale.h"
#include "models/measure.h"
#include "models/program.h"
#include "models/trainer.h"

typedef struct Resident Resident; /* models/resident.h */
typedef struct Micro Micro;       /* models/micro.h */

struct Trainer {
    Tape tape;
    Program program;
    Measure measure;
    Resident *resident;   /* NULL: the host does what stands around forward and backward */
    Micro *micro;         /* NULL: a batch is one pass */
    const Ranks *owners;  /* that keep a part of the moments each (models/moments.h); NULL: they are all here */
    Error failure;        /* of a device; code is RC_OK while there is none */
    const Recipe *recipe; /* [replicas] */
    const uint64_t *seed; /* [replicas] */
    int step;             /* next update, 0-based */
    int every;            /* probes that are not usual are measured at steps that it divides */
    double *power;        /* [replicas][2] beta^updates, running products */
    LossScale *scale;     /* [replicas]; NULL: the loss is not scaled */
    bool *alive;          /* [replicas] */
    bool profiled;        /* parameters that a profiling pass fills have been filled */
    int targets;          /* the feed whose ids count: its tensor */
    int *parameter;       /* [parameters] tensors, in tape order */
    int parameters;
    bool renorm;   /* a parameter has rows or columns of length 1 */
    double *value; /* [measure.parts] */
};

/* The save tensor whose second column says which targets were predicted right. */
int trainer_hits(const Trainer *t);

/* Scalars of the next update; the running products go on. */
void trainer_scalars(Trainer *t);

#endif
