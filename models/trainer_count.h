/* Count the costs of training: memory, arithmetic, launches. */
#ifndef MODELS_TRAINER_COUNT_H
#define MODELS_TRAINER_COUNT_H

#include "models/trainer.h"

/* Return the bytes that trainer_for_gpt takes for one replica. */
size_t trainer_need(const ModelShape *shape, const Variant *variant, const ProbeChoice *probes, const Backend *backend);

/* Plan of one replica's training, without allocating: bytes of each kind (activations: those kept for the backward
 * pass, and their gradients; sums: partial sums of gradients for several passes over a batch; other: scratch, token
 * ids, and rounded copies of the weights for 16-bit storage), and flops of a step (tape_flops; recomputed ops count
 * once). apart: no output shares memory with an input, as on a device. */
typedef struct {
    size_t parameters, weights, gradients, sums, moments, activations, other;
    double flops;
} TrainerPlan;
TrainerPlan trainer_plan(const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
                         const Backend *backend, bool apart);
double trainer_plan_bytes(const TrainerPlan *p);

double trainer_flops(const Trainer *t); /* returns one replica's step's (tape_flops) */
size_t trainer_bytes(const Trainer *t); /* returns one replica's */

/* Return the graph of one training step on a device, recorded on the first call, to count its launches. */
const Graph *trainer_graph(Trainer *t);
/* Record the graph of a forward and backward pass without initializing or running the model, to count its launches;
 * free it by Device.forget. RC_UNMEASURED: no memory. */
Rc trainer_passes(Graph **out, const ModelShape *shape, const Variant *variant, int replicas, const Backend *backend,
                  Error *e);
/* Run a training step without a graph and time each launch: *count timings, in order; the caller frees them. Its
 * numbers are not reported. The corpus is on the device. */
Timing *trainer_timed(Trainer *t, size_t *count);

#endif
