#include "tests/gpu/count.h"

#include <stdlib.h>

#include "kernels/cuda/enqueue.h"

#ifdef HAVE_CUDA
#define NAME(what) cuda_##what
#else
#define NAME(what) simt_##what
#endif
extern const Stages *const NAME(stages)[OP_COUNT];
extern const Stages NAME(linear_bias);
extern const StepLaunch NAME(steps)[STEP_COUNT];

/* A queue that counts. */
static void count(void *queue, const char *name, const void *body, Grid grid, const void *args, size_t bytes,
                  bool flat) {
    (void)name, (void)body, (void)grid, (void)args, (void)bytes, (void)flat;
    ((Work *)queue)->kernels++;
}

static void add_stages(Work *w, const Stage *stage, const Call *c) {
    Call counted = *c;
    counted.queue = w;
    enqueue(stage, &counted, count);
    for (; stage->name; stage++)
        if (stage->grid(c).x) w->bytes += stage_bytes(stage, c) * c->replicas;
}

static void add_product(Work *w, const Call *c, View a, View b, View to) {
    if (!to.at) return;
    w->kernels++;
    w->bytes += (view_bytes(a) + view_bytes(b) + view_bytes(to)) * c->replicas;
}

static void add_op(Work *w, const Call *c, bool reached, bool library) {
    const Stages *s = library && c->kind == OP_linear ? &NAME(linear_bias) : NAME(stages)[c->kind];
    if (s == &NAME(linear_bias)) {
        add_product(w, c, c->in[0], c->in[1], c->out);
        if (reached) add_product(w, c, c->dout, c->in[1], c->din[0]), add_product(w, c, c->dout, c->in[0], c->din[1]);
    }
    add_stages(w, s->forward, c);
    if (reached) add_stages(w, s->backward, c);
}

/* The step's own kernels on a Step that has its sizes. */
static void add_step(Work *w, const Trainer *t) {
    const Measure *m = &t->measure;
    StepPart *part = mem_alloc((size_t)m->parts, sizeof *part);
    for (int i = 0; i < m->parts; i++) {
        part[i].rows = m->part[i].rows, part[i].cols = t->tape.tensor[m->part[i].tensor].cols;
    }
    Step s = {.replicas = t->program.replicas,
              .optimizer = t->recipe[0].optimizer,
              .part = part,
              .parts = m->parts,
              .gradient = m->gradient,
              .parameters = m->parameters,
              .rows = 1,
              .gradient_end = 1,
              .after = m->after,
              .chunks = 1,
              .places = 1,
              .feeds = t->tape.feeds,
              .corpus = &(int32_t){0}};
    s.feed[0].ids.rows = t->tape.tensor[t->targets].rows;
    for (int i = 0; i < STEP_COUNT; i++) {
        const StepLaunch *l = &NAME(steps)[i];
        enqueue_step(l, &s, w, count);
        if (l->bytes && l->grid(&s).x) w->bytes += l->bytes(&s) * s.replicas;
    }
    free(part);
}

Work work_of(const Trainer *t, bool library) {
    Work w = {0, 0};
    for (int i = 0; i < t->tape.ops; i++) add_op(&w, &t->program.call[i], t->program.gradients.reached[i], library);
    add_step(&w, t);
    return w;
}
