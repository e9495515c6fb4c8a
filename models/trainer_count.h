/* What training takes: memory, arithmetic, launches. */
#ifndef MODELS_TRAINER_COUNT_H
#define MODELS_TRAINER_COUNT_H

#include "models/trainer.h"

/* Bytes that trainer_new takes for one replica. */
size_t trainer_need(const ModelShape *shape, const Variant *variant, const ProbeChoice *probes, const Backend *backend);

/* What one replica's training takes and computes; none of it is allocated. Bytes of each kind, of activations those
 * that are kept for the backward pass and their gradients; sums: the partial sums of gradients that several passes over
 * a batch need; other: what ops compute in, token ids, and of a precision that stores words of 16 bits the rounded
 * copies of the weights. flops: of a step (tape_flops), what is recomputed once. apart: as on a device, where no output
 * shares memory with an input, whatever the backend. */
typedef struct {
    size_t parameters, weights, gradients, sums, moments, activations, other;
    double flops;
} TrainerPlan;
TrainerPlan trainer_plan(const ModelShape *shape, const Variant *variant, const ProbeChoice *probes,
                         const Backend *backend, bool apart);
double trainer_plan_bytes(const TrainerPlan *p);

double trainer_flops(const Trainer *t); /* of a step of one replica (tape_flops) */
size_t trainer_bytes(const Trainer *t); /* of one replica */

/* On a device: the graph of one training step, recorded now if it is not yet, for those who count what it launches. */
const Graph *trainer_graph(Trainer *t);
/* The graph of a forward and backward pass of a model of which nothing is initialized and nothing runs, for those who
 * count what it launches: given back with Device.forget. RC_UNMEASURED: no memory. */
Rc trainer_passes(Graph **out, const ModelShape *shape, const Variant *variant, int replicas, const Backend *backend,
                  Error *e);
/* A training step run without a graph, each of its launches timed: *count of them, in order, the caller's to free. Its
 * numbers are not reported. The corpus stands on the device. */
Timing *trainer_timed(Trainer *t, size_t *count);

#endif
