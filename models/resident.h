/* A trainer whose numbers stay on a device: the step around forward and backward is kernels (kernels/step.h), recorded
 * once with the ops as one graph and replayed for every step. The host enqueues steps and later reads their rows in a
 * ring; inside the loop it does not wait. */
#ifndef MODELS_RESIDENT_H
#define MODELS_RESIDENT_H

#include "models/trainer_state.h"

/* Prepare a trainer whose program is ready and whose parameters are initialized. RC_UNMEASURED: the device's memory is
 * short. */
Rc resident_init(Trainer *t, Error *e);
void resident_release(Trainer *t);

/* Let a replica that has stopped train again. */
void resident_revive(Trainer *t, int replica);

/* Read the loss scales from the device to t->scale; write one replica's back. */
void resident_read_scales(Trainer *t);
void resident_write_scale(Trainer *t, int replica);

/* Set the next update to t->step. */
void resident_seek(Trainer *t);

/* StepWay.steps: report is [n][replicas], and rows of a stopped replica stay. Return the steps done: fewer if the
 * program was cancelled or the device failed (t->failure). Without a corpus on the device n is 1. */
int resident_steps(Trainer *t, int n, StepReport *report);

/* StepWay.values; the first replica's call computes all replicas'. */
void resident_values(Trainer *t, int replica, bool thin, double *value);

/* StepWay.finish, after a batch in several passes (models/micro.h), with the host's scalars. */
bool resident_finish(Trainer *t, StepReport *report);

/* Run forward with the host's ids and scalars. */
void resident_forward(Trainer *t);

#endif
