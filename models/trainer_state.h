/* What a trainer is made of: for models/ and for tests that look inside. */
#ifndef MODELS_TRAINER_STATE_H
#define MODELS_TRAINER_STATE_H

#include "kernels/loss_scale.h"
#include "models/measure.h"
#include "models/program.h"
#include "models/trainer.h"

typedef struct Resident Resident; /* models/resident.h */
typedef struct Micro Micro;       /* models/micro.h */

/* A way to make a step: a row of trainer.c's table. */
typedef struct {
    const char *name;
    /* Up to n steps of which a device draws the batches, as trainer_steps; NULL: a step is `passes` and `finish`. */
    int (*steps)(Trainer *t, int n, StepReport *report);
    /* Forward and backward of the batch that stands in the feeds. measured: what probes read of activations is kept;
     * thin: of the added ones too. */
    void (*passes)(Trainer *t, bool measured, bool thin);
    /* What of a step follows them, t->step included. False: the device failed (t->failure). */
    bool (*finish)(Trainer *t, StepReport *report);
    void (*forward)(Trainer *t);
    int32_t *(*ids)(const Trainer *t, int feed, int replica); /* of the whole batch */
    /* The parts before Measure.gradient, of what the last pass left. */
    void (*values)(Trainer *t, int replica, bool thin, double *value);
    /* Puts those of activations of the whole batch in their place; NULL: the last pass is the batch. */
    void (*batch)(const Trainer *t, int replica, double *value);
    /* The first activation that is not finite: the tensor, or -1. */
    int (*culprit)(Trainer *t, int replica);
    /* After `forward`: every row's nll (nats) and whether its target was predicted right. */
    void (*scores)(const Trainer *t, int replica, int first, int rows, double *nll, bool *right);
} StepWay;

struct Trainer {
    Tape tape;
    Program program;
    Measure measure;
    const StepWay *way;
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

/* Running products of a replica that has done so many updates. */
void trainer_count_updates(Trainer *t, int replica, int updates);

/* Scalars of the next update; the running products go on. */
void trainer_scalars(Trainer *t);

#endif
