#include "tests/gpu/count.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/product.h"

#ifdef HAVE_CUDA
#define NAME(what) cuda_##what
#else
#define NAME(what) simt_##what
#endif
extern const Stages *const NAME(stages)[OP_COUNT];
extern const Stages NAME(linear_bias);
extern const StepLaunch NAME(steps)[STEP_COUNT];

static KernelWork *kernel_of(Work *w, const char *name) {
    for (int i = 0; i < w->kernels; i++)
        if (!strcmp(w->kernel[i].name, name)) return &w->kernel[i];
    assert(w->kernels < MOST_KERNELS);
    w->kernel[w->kernels] = (KernelWork){.name = name};
    return &w->kernel[w->kernels++];
}

static void add(Work *w, const char *name, double flops, double bytes) {
    KernelWork *k = kernel_of(w, name);
    k->launches++, k->flops += flops, k->bytes += bytes;
    w->launches++, w->bytes += bytes;
}

static void add_stages(Work *w, const Stage *s, const Call *c) {
    for (; s->name; s++)
        if (s->grid(c).x) add(w, s->name, (s->flops ? s->flops(c) : 0) * c->replicas, stage_bytes(s, c) * c->replicas);
}

static void add_product(Work *w, const Call *c, View a, View b, View to) {
    double flops = 2.0 * c->in[0].rows * c->in[0].cols * c->out.cols;
    if (!to.at) return;
    for (int r = 0; r < c->replicas; r++) add(w, PRODUCT_NAME, flops, view_bytes(a) + view_bytes(b) + view_bytes(to));
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
        if (l->grid(&s).x) add(w, l->name, 0, l->bytes ? l->bytes(&s) * s.replicas : 0);
    }
    free(part);
}

Work work_of(const Trainer *t, bool library) {
    Work w = {.kernels = 0};
    for (int i = 0; i < t->tape.ops; i++) add_op(&w, &t->program.call[i], t->program.gradients.reached[i], library);
    add_step(&w, t);
    return w;
}
