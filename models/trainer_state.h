/* State of a trainer, for models/ and for tests. */
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
    /* Make up to n steps whose batches a device draws, like trainer_steps; NULL: a step is `passes` and `finish`. */
    int (*steps)(Trainer *t, int n, StepReport *report);
    /* Run forward and backward on the batch in the feeds. measured: keep what probes read of activations; thin: for
     * added ones too. */
    void (*passes)(Trainer *t, bool measured, bool thin);
    /* Do the rest of the step, and count t->step. False: the device failed (t->failure). */
    bool (*finish)(Trainer *t, StepReport *report);
    void (*forward)(Trainer *t);
    int32_t *(*ids)(const Trainer *t, int feed, int replica); /* ids of the whole batch */
    /* Compute the parts before Measure.gradient from the last pass. */
    void (*values)(Trainer *t, int replica, bool thin, double *value);
    /* Replace activations' parts by those of the whole batch; NULL: the last pass is the batch. */
    void (*batch)(const Trainer *t, int replica, double *value);
    /* Return the tensor of the first activation that is not finite, or -1. */
    int (*culprit)(Trainer *t, int replica);
    /* Read, after `forward`, every row's nll (nats) and whether its target was predicted right. */
    void (*scores)(const Trainer *t, int replica, int first, int rows, double *nll, bool *right);
} StepWay;

struct Trainer {
    Tape tape;
    Program program;
    Measure measure;
    const StepWay *way;
    Resident *resident;   /* NULL: the host does the step around forward and backward */
    Micro *micro;         /* NULL: a batch is one pass */
    const Ranks *owners;  /* ranks that keep a part of the moments each (models/moments.h); NULL: all are here */
    Error failure;        /* a device's; code RC_OK: none */
    const Recipe *recipe; /* [replicas] */
    const uint64_t *seed; /* [replicas] */
    int step;             /* next update, 0-based */
    int every;            /* added probes are measured at steps that it divides */
    double *power;        /* [replicas][2] beta^updates, running products */
    LossScale *scale;     /* [replicas]; NULL: the loss is not scaled */
    bool *alive;          /* [replicas] */
    bool data_known;      /* parameters that the data initialize have been filled */
    int targets;          /* tensor of the feed whose ids count as targets */
    int *parameter;       /* [parameters] tensors, in tape order */
    int parameters;
    bool renorm;   /* a parameter has rows or columns of length 1 */
    double *value; /* [measure.parts] */
};

/* Compute a replica's running products after `updates` updates. */
void trainer_count_updates(Trainer *t, int replica, int updates);

/* Compute the scalars of the next update, and advance the running products. */
void trainer_scalars(Trainer *t);

#endif
