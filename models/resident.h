/* A trainer whose numbers never leave a device: the step around forward and backward as kernels (kernels/step.h),
 * recorded once with the ops as one graph, replayed for every step. The host enqueues steps and reads, later, the rows
 * they left in a ring; inside the loop it waits for nothing. */
#ifndef MODELS_RESIDENT_H
#define MODELS_RESIDENT_H

#include "models/trainer_state.h"

/* The trainer's program is ready and its parameters are initialized. RC_UNMEASURED when the device's memory is
 * short. */
Rc resident_init(Resident **out, Trainer *t, Error *e);
void resident_release(Resident *x, Trainer *t);

/* From here on the device draws batches from a corpus, as dataset_batch does. RC_UNMEASURED as above; RC_USAGE: a feed
 * of the model is not cut from a text. */
Rc resident_corpus(Resident *x, Trainer *t, const Corpus *corpus, Error *e);

/* A replica that has stopped trains again. */
void resident_revive(Resident *x, Trainer *t, int replica);

/* The scales of the loss, from the device to t->scale, and of one replica back. */
void resident_read_scales(Resident *x, Trainer *t);
void resident_write_scale(Resident *x, Trainer *t, int replica);

/* The next update is t->step. */
void resident_seek(Resident *x, Trainer *t);

/* Up to n steps; report is [n][replicas], and a replica's row is left alone once it has stopped. Returns the steps
 * done: fewer when the program was cancelled or the device failed (t->failure). Without a corpus on
 * the device n is 1. */
int resident_steps(Resident *x, Trainer *t, int n, StepReport *report);

/* The numbers of parts 0..count-1 (models/measure.h) of a replica, of what stands on the device now. Every replica's
 * are computed when the first one's are asked for. */
void resident_values(Resident *x, Trainer *t, int replica, int count, double *value);

/* After a batch in several passes (models/micro.h), with the scalars that stand on the host: what of a step follows
 * backward. report is [replicas]. false: the device failed (t->failure). */
bool resident_finish(Resident *x, Trainer *t, StepReport *report);

/* The forward ops on the ids and scalars that stand on the host. */
void resident_forward(Resident *x, Trainer *t);

/* The graph of one training step, recorded now if it is not yet. */
const Graph *resident_graph(Resident *x, Trainer *t);

/* One training step outside of a graph, each launch by itself (Device.timed). */
Timing *resident_timed(Resident *x, Trainer *t, size_t *count);

#endif
