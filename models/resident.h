/* A trainer whose numbers never leave a device: the step around forward and backward as kernels (kernels/step.h),
 * recorded once with the ops as one graph, replayed for every step. The host enqueues steps and reads, later, the rows
 * they left in a ring; inside the loop it waits for nothing. */
#ifndef MODELS_RESIDENT_H
#define MODELS_RESIDENT_H

#include "models/trainer_state.h"

/* The trainer's program is ready and its parameters are initialized. RC_UNMEASURED when the device's memory is
 * short. */
Rc resident_init(Trainer *t, Error *e);
void resident_release(Trainer *t);

/* A replica that has stopped trains again. */
void resident_revive(Trainer *t, int replica);

/* The scales of the loss, from the device to t->scale, and of one replica back. */
void resident_read_scales(Trainer *t);
void resident_write_scale(Trainer *t, int replica);

/* The next update is t->step. */
void resident_seek(Trainer *t);

/* StepWay.steps: report is [n][replicas], and a replica's row is left alone once it has stopped. Returns the steps
 * done: fewer when the program was cancelled or the device failed (t->failure). Without a corpus on
 * the device n is 1. */
int resident_steps(Trainer *t, int n, StepReport *report);

/* StepWay.values. Every replica's are computed when the first one's are asked for. */
void resident_values(Trainer *t, int replica, bool thin, double *value);

/* StepWay.finish, after a batch in several passes (models/micro.h), with the scalars that stand on the host. */
bool resident_finish(Trainer *t, StepReport *report);

/* The forward ops on the ids and scalars that stand on the host. */
void resident_forward(Trainer *t);

#endif
