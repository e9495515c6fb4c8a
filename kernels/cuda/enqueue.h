/* From a Call to launches: the one loop over a list of stages, for the device and for the shim. */
#ifndef KERNELS_CUDA_ENQUEUE_H
#define KERNELS_CUDA_ENQUEUE_H

#include "kernels/cuda/step_launch.h"

/* Puts one kernel into a queue: args of `bytes`, taken by value; flat as in Stage. */
typedef void (*Launch)(void *queue, const char *name, const void *body, Grid grid, const void *args, size_t bytes,
                       bool flat);

static inline void enqueue(const Stage *stage, const Call *c, Launch launch) {
    for (; stage->name; stage++) {
        Grid grid = stage->grid(c);
        if (grid.x) launch(c->queue, stage->name, stage->body, grid, c, sizeof *c, stage->flat);
    }
}

static inline void enqueue_step(const StepLaunch *l, const Step *s, void *queue, Launch launch) {
    Grid grid = l->grid(s);
    if (grid.x) launch(queue, l->name, l->body, grid, s, sizeof *s, l->flat);
}

static inline void enqueue_round(const RoundLaunch *l, const Rounding *c, Launch launch) {
    Grid grid = l->grid(c);
    if (grid.x) launch(c->queue, l->name, l->body, grid, c, sizeof *c, false);
}

static inline void enqueue_add(const AddLaunch *l, const Addition *a, void *queue, Launch launch) {
    Grid grid = l->grid(a);
    if (grid.x) launch(queue, l->name, l->body, grid, a, sizeof *a, true);
}

static inline double view_bytes(View v) {
    return v.at ? 4.0 * v.rows * v.cols : 0;
}

/* What a stage reads and writes at least, of one replica: every tensor once; adding into a gradient reads it too. */
static inline double stage_bytes(const Stage *s, const Call *c) {
    const View view[] = {c->in[0], c->in[1], c->in[2], c->out, c->save, c->dout};
    double bytes = s->aside ? s->aside(c) : 0;
    for (unsigned i = 0; i < sizeof view / sizeof *view; i++)
        if (s->touches >> i & 1) bytes += view_bytes(view[i]);
    for (unsigned i = 0; i < OP_MAX_IN; i++)
        if (s->touches & ((unsigned)TOUCH_din0 << i)) bytes += view_bytes(c->din[i]) * (c->accumulate[i] ? 2 : 1);
    return bytes;
}

/* The rows of a backend whose kernels are stages: prefix##_stages and prefix##_launch must be there. Backward of a
 * probe has no stages. */
#define STAGED_KERNELS(prefix) \
    static void prefix##_forward(const Call *c) { \
        enqueue(prefix##_stages[c->kind]->forward, c, prefix##_launch); \
    } \
    static void prefix##_backward(const Call *c) { \
        enqueue(prefix##_stages[c->kind]->backward, c, prefix##_launch); \
    } \
    static size_t prefix##_scratch(const Call *c) { \
        return prefix##_stages[c->kind]->scratch ? prefix##_stages[c->kind]->scratch(c) : 0; \
    } \
    static const Kernel prefix##_kernel = {prefix##_forward, prefix##_backward, prefix##_scratch};

#endif
